-- What forming memory, the turn and the daemon keep. None of these tables holds what was said, but for
-- `traces` and `cycle_refusals`, which the triggers below clear when anything they may quote goes.

-- Every call of a language model.
CREATE TABLE model_calls (
    id            TEXT PRIMARY KEY,
    persona       TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope         TEXT NOT NULL,
    purpose       TEXT NOT NULL,
    role          TEXT NOT NULL,
    model         TEXT NOT NULL,
    stamp         TEXT NOT NULL, -- name, version and hash of the prompt file
    at            INTEGER NOT NULL,
    ms            INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost          REAL, -- US dollars; NULL where the price isn't known
    outcome       TEXT NOT NULL -- ok, cut, failed or cancelled
) STRICT;
CREATE INDEX model_calls_by_time ON model_calls (at);

-- How far the consolidation of a session has come: the stages committed, and up to which message.
CREATE TABLE stages (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    through INTEGER NOT NULL, -- messages.seq
    stage   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    detail  TEXT NOT NULL DEFAULT '{}', -- ids, counts and rules; no text
    PRIMARY KEY (session, through, stage)
) STRICT;

-- Why the consolidation of a session could not go on.
CREATE TABLE troubles (
    session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    stage   TEXT NOT NULL,
    why     TEXT NOT NULL,
    tries   INTEGER NOT NULL,
    at      INTEGER NOT NULL
) STRICT;

-- The audit of reflections and slow ticks.
CREATE TABLE cycles (
    id            TEXT PRIMARY KEY,
    persona       TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope         TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('reflection', 'slow_tick')),
    at            INTEGER NOT NULL,
    outcome       TEXT NOT NULL CHECK (outcome IN ('done', 'held', 'failed')),
    reason        TEXT NOT NULL DEFAULT '', -- the guard that held, or the error
    input_tokens  INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX cycles_by_time ON cycles (persona, kind, at);

CREATE TABLE cycle_reads (
    cycle TEXT NOT NULL REFERENCES cycles (id) ON DELETE CASCADE,
    node  TEXT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    PRIMARY KEY (cycle, node)
) STRICT;
CREATE INDEX cycle_reads_by_node ON cycle_reads (node);

CREATE TABLE cycle_writes (
    cycle TEXT NOT NULL REFERENCES cycles (id) ON DELETE CASCADE,
    node  TEXT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    PRIMARY KEY (cycle, node)
) STRICT;
CREATE INDEX cycle_writes_by_node ON cycle_writes (node);

CREATE TABLE cycle_refusals (
    cycle TEXT NOT NULL REFERENCES cycles (id) ON DELETE CASCADE,
    rule  TEXT NOT NULL,
    text  TEXT NOT NULL
) STRICT;
CREATE INDEX cycle_refusals_by_cycle ON cycle_refusals (cycle);

-- How often a thought was shown under "On your mind lately".
CREATE TABLE shown (
    node    TEXT PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
    times   INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT;

-- What is said once: resources in a crisis, that this is an AI persona.
CREATE TABLE notices (
    persona TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope   TEXT NOT NULL,
    kind    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (persona, scope, kind)
) STRICT;

-- Who may call the API from elsewhere; the token itself is shown once and kept nowhere.
CREATE TABLE api_tokens (
    id         TEXT PRIMARY KEY,
    digest     BLOB NOT NULL UNIQUE,
    user       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- One turn, step by step, kept on demand.
CREATE TABLE traces (
    id      TEXT PRIMARY KEY,
    persona TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope   TEXT NOT NULL,
    at      INTEGER NOT NULL,
    body    TEXT NOT NULL
) STRICT;
CREATE INDEX traces_by_time ON traces (persona, scope, at);

CREATE TRIGGER messages_untraced AFTER DELETE ON messages BEGIN
    DELETE FROM traces WHERE persona = old.persona AND old.scope IN (scope, 'shared'); END;
CREATE TRIGGER messages_changed_untraced AFTER UPDATE OF text, deleted_at ON messages BEGIN
    DELETE FROM traces WHERE persona = old.persona AND old.scope IN (scope, 'shared'); END;
CREATE TRIGGER nodes_untraced BEFORE DELETE ON nodes BEGIN
    DELETE FROM cycle_refusals WHERE cycle IN (SELECT cycle FROM cycle_reads WHERE node = old.id);
    DELETE FROM traces WHERE persona = old.persona AND old.scope IN (scope, 'shared'); END;
CREATE TRIGGER nodes_changed_untraced AFTER UPDATE OF text ON nodes BEGIN
    DELETE FROM cycle_refusals WHERE cycle IN (SELECT cycle FROM cycle_reads WHERE node = old.id);
    DELETE FROM traces WHERE persona = old.persona AND old.scope IN (scope, 'shared'); END;
CREATE TRIGGER aliases_untraced AFTER DELETE ON aliases BEGIN
    DELETE FROM cycle_refusals WHERE cycle IN
        (SELECT id FROM cycles WHERE persona = old.persona AND old.scope IN (scope, 'shared'));
    DELETE FROM traces WHERE persona = old.persona AND old.scope IN (scope, 'shared'); END;
CREATE TRIGGER core_blocks_untraced AFTER UPDATE OF text ON core_blocks BEGIN
    DELETE FROM traces WHERE persona = old.persona AND old.scope IN (scope, 'shared'); END;
CREATE TRIGGER core_blocks_gone_untraced AFTER DELETE ON core_blocks BEGIN
    DELETE FROM traces WHERE persona = old.persona AND old.scope IN (scope, 'shared'); END;
