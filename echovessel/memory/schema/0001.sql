-- Times are INTEGER microseconds since 1970 in UTC; dates are ISO text; lists are JSON text.
-- `scope` is shared, user:NAME or group:NAME.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE personas (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    zone       TEXT,
    created_at INTEGER NOT NULL
) STRICT;

-- A user or a group, with the zone in which its days are counted.
CREATE TABLE audiences (
    persona    TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    name       TEXT NOT NULL,
    zone       TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (persona, scope)
) STRICT;

CREATE TABLE imports (
    id          TEXT PRIMARY KEY,
    persona     TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    source      TEXT NOT NULL,
    digest      TEXT NOT NULL,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;

-- L1
CREATE TABLE core_blocks (
    persona    TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    label      TEXT NOT NULL CHECK (label IN ('persona', 'self', 'style', 'user', 'relationship')),
    text       TEXT NOT NULL CHECK (length(text) <= 5000),
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (persona, scope, label)
) STRICT;

CREATE TABLE core_block_revisions (
    id        TEXT PRIMARY KEY,
    persona   TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope     TEXT NOT NULL,
    label     TEXT NOT NULL,
    actor     TEXT NOT NULL CHECK (actor IN ('manual', 'admin', 'import')),
    at        INTEGER NOT NULL,
    before    TEXT NOT NULL,
    after     TEXT NOT NULL,
    note      TEXT NOT NULL DEFAULT '',
    undoes    TEXT REFERENCES core_block_revisions (id) ON DELETE SET NULL,
    import_id TEXT REFERENCES imports (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX core_block_revisions_by_block ON core_block_revisions (persona, scope, label, id);

-- L2
CREATE TABLE sessions (
    id           TEXT PRIMARY KEY,
    persona      TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope        TEXT NOT NULL,
    channel      TEXT NOT NULL,
    conversation TEXT NOT NULL,
    opened_at    INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    messages     INTEGER NOT NULL DEFAULT 0,
    tokens       INTEGER NOT NULL DEFAULT 0,
    state        TEXT NOT NULL CHECK (state IN ('open', 'pending', 'settled')),
    closed_at    INTEGER,
    close_reason TEXT,
    settled_at   INTEGER,
    name         TEXT
) STRICT;
CREATE UNIQUE INDEX sessions_by_name ON sessions (persona, scope, channel, conversation, name) WHERE name IS NOT NULL;
CREATE INDEX sessions_by_talk ON sessions (persona, scope, channel, conversation, last_at);
CREATE INDEX sessions_by_state ON sessions (state, last_at);

CREATE TABLE messages (
    seq          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    persona      TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope        TEXT NOT NULL,
    session      TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn         INTEGER NOT NULL,
    channel      TEXT NOT NULL,
    conversation TEXT NOT NULL,
    sender       TEXT NOT NULL CHECK (sender IN ('user', 'persona', 'other', 'system')),
    sender_name  TEXT NOT NULL,
    text         TEXT NOT NULL,
    sent_at      INTEGER NOT NULL,
    zone         TEXT NOT NULL,
    recorded_at  INTEGER NOT NULL,
    edited_at    INTEGER,
    deleted_at   INTEGER,
    reply_to     TEXT,
    attachments  TEXT NOT NULL DEFAULT '[]',
    external_id  TEXT,
    import_id    TEXT REFERENCES imports (id) ON DELETE SET NULL,
    UNIQUE (persona, channel, conversation, external_id)
) STRICT;
CREATE INDEX messages_by_session ON messages (session, sent_at, seq);
CREATE INDEX messages_by_scope ON messages (persona, scope, sent_at, seq);
CREATE INDEX messages_by_import ON messages (import_id) WHERE import_id IS NOT NULL;

-- L3 and L4
CREATE TABLE nodes (
    seq           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    persona       TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope         TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('event', 'thought', 'intention', 'expectation')),
    subject       TEXT NOT NULL CHECK (subject IN ('user', 'persona', 'other')),
    about         TEXT REFERENCES entities (id) ON DELETE SET NULL,
    attribute     TEXT NOT NULL,
    text          TEXT NOT NULL,
    impact        REAL NOT NULL CHECK (impact BETWEEN -10 AND 10),
    emotions      TEXT NOT NULL,
    tags          TEXT NOT NULL,
    occurred_from TEXT,
    occurred_to   TEXT,
    valid_from    TEXT,
    valid_to      TEXT,
    due_on        TEXT,
    status        TEXT CHECK (status IN ('open', 'kept', 'broken', 'fulfilled', 'expired')),
    confidence    REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    mentions      INTEGER NOT NULL DEFAULT 1,
    pinned        INTEGER NOT NULL DEFAULT 0,
    superseded_by TEXT REFERENCES nodes (id) ON DELETE SET NULL,
    superseded_at INTEGER,
    known_at      INTEGER NOT NULL,
    -- A restated fact moves known_at on; what was known at a time goes by when it was first known.
    first_known_at INTEGER NOT NULL,
    recorded_at   INTEGER NOT NULL,
    origin        TEXT NOT NULL CHECK (origin IN ('extraction', 'reflection', 'slow_tick', 'import', 'person')),
    import_id     TEXT REFERENCES imports (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX nodes_by_scope ON nodes (persona, scope, kind, known_at);
CREATE INDEX nodes_by_fact ON nodes (persona, scope, subject, attribute) WHERE attribute <> '';
CREATE INDEX nodes_by_superseding ON nodes (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX nodes_by_about ON nodes (about) WHERE about IS NOT NULL;
CREATE INDEX nodes_by_import ON nodes (import_id) WHERE import_id IS NOT NULL;

CREATE TABLE node_sources (
    node        TEXT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    message     TEXT REFERENCES messages (id) ON DELETE CASCADE,
    source_node TEXT REFERENCES nodes (id) ON DELETE CASCADE,
    quote       TEXT NOT NULL,
    CHECK ((message IS NULL) <> (source_node IS NULL))
) STRICT;
CREATE INDEX node_sources_by_node ON node_sources (node);
CREATE INDEX node_sources_by_message ON node_sources (message) WHERE message IS NOT NULL;
CREATE INDEX node_sources_by_source_node ON node_sources (source_node) WHERE source_node IS NOT NULL;

-- L5. A merged entity keeps its own rows and points to the one it stands for, so that undo loses nothing.
CREATE TABLE entities (
    id          TEXT PRIMARY KEY,
    persona     TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope       TEXT NOT NULL,
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    merged_into TEXT REFERENCES entities (id) ON DELETE SET NULL,
    created_at  INTEGER NOT NULL,
    import_id   TEXT REFERENCES imports (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX entities_by_scope ON entities (persona, scope);
CREATE INDEX entities_by_merge ON entities (merged_into) WHERE merged_into IS NOT NULL;

-- Names learned from one user of a shared entity stay that user's: the alias has a scope of its own.
CREATE TABLE aliases (
    id         INTEGER PRIMARY KEY,
    entity     TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    persona    TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    text       TEXT NOT NULL,
    folded     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (entity, scope, folded)
) STRICT;
CREATE INDEX aliases_by_name ON aliases (persona, scope, folded);

CREATE TABLE node_entities (
    node   TEXT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
    entity TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    given  INTEGER NOT NULL DEFAULT 1, -- 1: its writer named the entity; 0: a name found in the text
    PRIMARY KEY (node, entity)
) STRICT;
CREATE INDEX node_entities_by_entity ON node_entities (entity);

CREATE TABLE message_entities (
    message TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    entity  TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    PRIMARY KEY (message, entity)
) STRICT;
CREATE INDEX message_entities_by_entity ON message_entities (entity);

-- The mean of name-in-context vectors, for telling whether two names are one person.
CREATE TABLE entity_vectors (
    embedder INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    entity   TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    contexts INTEGER NOT NULL,
    vector   BLOB NOT NULL,
    PRIMARY KEY (embedder, entity)
) STRICT;
CREATE INDEX entity_vectors_by_entity ON entity_vectors (entity);

-- What a merge or split did (ids only, no text), for undo; and pairs that may be one, for the persona to ask about.
CREATE TABLE entity_changes (
    id        TEXT PRIMARY KEY,
    persona   TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope     TEXT NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN ('merge', 'split')),
    detail    TEXT NOT NULL,
    at        INTEGER NOT NULL,
    undone_at INTEGER
) STRICT;

CREATE TABLE entity_questions (
    id         TEXT PRIMARY KEY,
    persona    TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    one        TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    other      TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    similarity REAL NOT NULL,
    raised_at  INTEGER NOT NULL,
    same       INTEGER,
    settled_at INTEGER
) STRICT;

-- L6
CREATE TABLE moods (
    persona    TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    scope      TEXT NOT NULL,
    snapshot   TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (persona, scope)
) STRICT;

-- Vectors of two embedders stand side by side while the file is converted from one to the other.
CREATE TABLE embedders (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    version     TEXT NOT NULL,
    dim         INTEGER NOT NULL CHECK (dim > 0),
    checksum    TEXT NOT NULL,
    calibration TEXT NOT NULL,
    active      INTEGER NOT NULL DEFAULT 0,
    UNIQUE (name, version, dim, checksum)
) STRICT;
CREATE UNIQUE INDEX embedders_active ON embedders (active) WHERE active = 1;

CREATE TABLE message_vectors (
    embedder INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    message  INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
    vector   BLOB NOT NULL,
    PRIMARY KEY (embedder, message)
) STRICT;
CREATE INDEX message_vectors_by_message ON message_vectors (message);

CREATE TABLE node_vectors (
    embedder INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    node     INTEGER NOT NULL REFERENCES nodes (seq) ON DELETE CASCADE,
    vector   BLOB NOT NULL,
    PRIMARY KEY (embedder, node)
) STRICT;
CREATE INDEX node_vectors_by_node ON node_vectors (node);

-- Keyed hashes of what was forgotten, so that a re-import does not bring it back unasked.
CREATE TABLE tombstones (
    digest BLOB PRIMARY KEY,
    at     INTEGER NOT NULL
) STRICT;

-- Reads are counted apart: ranking never looks here.
CREATE TABLE access_counts (
    item    TEXT PRIMARY KEY,
    reads   INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT;

-- Which rows changed since a hot index last looked. `item` is messages.seq or nodes.seq.
CREATE TABLE changes (
    seq   INTEGER PRIMARY KEY AUTOINCREMENT,
    scope TEXT NOT NULL,
    layer TEXT NOT NULL CHECK (layer IN ('message', 'node', 'name')),
    item  INTEGER NOT NULL
) STRICT;
CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (new.scope, 'message', new.seq); END;
CREATE TRIGGER messages_changed AFTER UPDATE OF text, sent_at, session, deleted_at ON messages BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (new.scope, 'message', new.seq); END;
CREATE TRIGGER messages_gone AFTER DELETE ON messages BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (old.scope, 'message', old.seq); END;
CREATE TRIGGER nodes_added AFTER INSERT ON nodes BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (new.scope, 'node', new.seq); END;
CREATE TRIGGER nodes_changed AFTER UPDATE ON nodes BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (new.scope, 'node', new.seq); END;
CREATE TRIGGER nodes_gone AFTER DELETE ON nodes BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (old.scope, 'node', old.seq); END;
CREATE TRIGGER message_vectors_added AFTER INSERT ON message_vectors BEGIN
    INSERT INTO changes (scope, layer, item) SELECT scope, 'message', seq FROM messages WHERE seq = new.message; END;
CREATE TRIGGER message_vectors_gone AFTER DELETE ON message_vectors BEGIN
    INSERT INTO changes (scope, layer, item) SELECT scope, 'message', seq FROM messages WHERE seq = old.message; END;
CREATE TRIGGER node_vectors_added AFTER INSERT ON node_vectors BEGIN
    INSERT INTO changes (scope, layer, item) SELECT scope, 'node', seq FROM nodes WHERE seq = new.node; END;
CREATE TRIGGER node_vectors_gone AFTER DELETE ON node_vectors BEGIN
    INSERT INTO changes (scope, layer, item) SELECT scope, 'node', seq FROM nodes WHERE seq = old.node; END;
CREATE TRIGGER message_entities_added AFTER INSERT ON message_entities BEGIN
    INSERT INTO changes (scope, layer, item) SELECT scope, 'message', seq FROM messages WHERE id = new.message; END;
CREATE TRIGGER message_entities_gone AFTER DELETE ON message_entities BEGIN
    INSERT INTO changes (scope, layer, item) SELECT scope, 'message', seq FROM messages WHERE id = old.message; END;
CREATE TRIGGER node_entities_added AFTER INSERT ON node_entities BEGIN
    INSERT INTO changes (scope, layer, item) SELECT scope, 'node', seq FROM nodes WHERE id = new.node; END;
CREATE TRIGGER node_entities_gone AFTER DELETE ON node_entities BEGIN
    INSERT INTO changes (scope, layer, item) SELECT scope, 'node', seq FROM nodes WHERE id = old.node; END;
CREATE TRIGGER aliases_added AFTER INSERT ON aliases BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (new.scope, 'name', 0); END;
CREATE TRIGGER aliases_changed AFTER UPDATE ON aliases BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (new.scope, 'name', 0); END;
CREATE TRIGGER aliases_gone AFTER DELETE ON aliases BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (old.scope, 'name', 0); END;
CREATE TRIGGER entities_changed AFTER UPDATE OF merged_into ON entities BEGIN
    INSERT INTO changes (scope, layer, item) VALUES (new.scope, 'name', 0); END;

-- When a fact in the middle of a chain goes, the one before it takes over its end: superseded by the next, or current again.
CREATE TRIGGER nodes_unchained BEFORE DELETE ON nodes BEGIN
    UPDATE nodes SET superseded_by = old.superseded_by, superseded_at = old.superseded_at WHERE superseded_by = old.id; END;

-- Plain search. search.py cuts the text into tokens joined by spaces; `ascii` leaves every other character alone, so that
-- characters younger than SQLite's Unicode tables stay words. Rows go with what they index, on whatever path it is deleted.
CREATE VIRTUAL TABLE message_search USING fts5 (text, tokenize = 'ascii');
INSERT INTO message_search (message_search, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER messages_unindexed AFTER DELETE ON messages BEGIN
    DELETE FROM message_search WHERE rowid = old.seq; END;
CREATE VIRTUAL TABLE node_search USING fts5 (text, tokenize = 'ascii');
INSERT INTO node_search (node_search, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER nodes_unindexed AFTER DELETE ON nodes BEGIN
    DELETE FROM node_search WHERE rowid = old.seq; END;
