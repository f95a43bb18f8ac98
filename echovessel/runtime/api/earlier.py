"""What was said and answered before, when a client sends it again."""

from __future__ import annotations

from echovessel.memory.records import Message, Sender
from echovessel.runtime.turn import Saying
from echovessel.runtime.vessel import Vessel

REACH = 200  # messages after it among which its answer stands; a session holds no more


def answer_to(vessel: Vessel, said: Saying) -> Message | None:
    """The stored answer to something that was said before; None where it was never answered. Blocks."""
    log = vessel.memory.log
    # Redelivery: known messages come back as they are, and nothing is written twice.
    heard = [delivery.message for delivery in log.deliver(said.messages()) if delivery.message is not None]
    if not heard:
        return None
    after = log.around(heard[-1].id, before=0, after=REACH)
    return next((one for one in after if one.sender is Sender.PERSONA), None)
