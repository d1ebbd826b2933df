import type { EventEnvelope, EventType } from "@lango/contracts";
import type { Static } from "typebox";

/** The envelope of an event of a type. */
export type EnvelopeOf<T extends EventType> = EventEnvelope<Static<T["data"]>>;
