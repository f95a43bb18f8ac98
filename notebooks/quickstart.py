# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Does a memory kept in Chinese answer a question asked in English, and can it say why?
#
# Lin Wan (林晚) mends old tapes in Hangzhou. For half a year one person has talked with her, in Chinese and now and
# then in English. Her memory ships with the package; nothing here leaves this machine.

# %% tags=["parameters"]
persona = "lin"
question = "What did Scott finally carry into the meeting room in July?"
k = 10

# %% [markdown]
# A vessel is one persona with its memory. The six layers:

# %%
import plotly.express as px
import polars as pl

from echovessel import Vessel, Weights
from echovessel.memory.targets import Target
from echovessel.samples.load import sample_named

v = Vessel.sample(persona)
v.memory

# %% [markdown]
# Nobody in this memory is filed under "Scott". One recall, as a table with what each of the five factors adds:

# %%
hits = v.recall(question, k=k)
hits

# %% [markdown]
# "Scott" is one of the names of 黄逸扬, and that is why: the question names him, so his memories are anchored.

# %%
scott = v.memory.entities().filter(pl.col("aliases").list.contains("Scott"))
scott.select("name", "kind", "aliases")

# %% [markdown]
# The same hits as a polars frame (`.to_pandas()` gives the other kind), and as a figure.

# %%
hits.to_polars().select("rank", "kind", "text", "score", "relevance", "entity_anchor", "cosine", "lexical")

# %%
hits.plot()

# %% [markdown]
# `explain()` also tells what was left out, and by which rule.

# %%
print(hits.explain())

# %% [markdown]
# What was true once is kept as the past: recall shows the current fact, and the older ones can be asked for.

# %%
events = v.memory.events(include_superseded=True)
past = events.filter(pl.col("superseded_by").is_not_null())
past.join(events, left_on="superseded_by", right_on="id", suffix="_now").select("text", "text_now")

# %% [markdown]
# To forget somebody is for good, so a dry run first tells what would go. Nothing has changed after it.

# %%
plan = v.memory.forget(Target.entity(scott["id"].item()), dry_run=True)
plan.counts

# %% [markdown]
# ## The answer
#
# The sample comes with questions and the turns that answer each. How many find such a turn among the first `k`,
# with words alone, with meaning alone, and with both, which is what ships?

# %%
turn_of = dict(v.memory.messages().select("id", "external_id").iter_rows())
questions = [query for query in sample_named(persona).queries if query.evidence.turns]
arms = {"words": {"blend": 0.0}, "meaning": {"blend": 1.0}, "both": {}}


def found(query, weights):
    told = v.recall(query.text, weights=Weights.preset("default").with_(**weights), k=k).hits
    return bool({turn_of[source] for hit in told for source in hit.sources} & set(query.evidence.turns))


# %%
rows = [(arm, q.language, found(q, weights)) for arm, weights in arms.items() for q in questions]
table = pl.DataFrame(rows, schema=["arm", "language", "found"], orient="row")
shares = table.group_by("arm", "language", maintain_order=True).agg(pl.len(), pl.col("found").mean())
shares

# %%
px.bar(shares, x="language", y="found", color="arm", barmode="group", range_y=[0, 1], text_auto=".0%")
