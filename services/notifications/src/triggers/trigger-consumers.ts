import { type EventType, eventTypes } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { mayTenantListen } from "./listening.ts";
import { platformTriggers } from "./platform-triggers.ts";
import { type Recording, recordRuns } from "./record-runs.ts";

const ofPlatform: ReadonlySet<string> = new Set(platformTriggers.map(({ eventType }) => eventType));

const hasRules = ({ type }: EventType): boolean => ofPlatform.has(type) || mayTenantListen(type);

/**
 * Records the runs of events. Declare them before the consumers of recipients: conditions see what was known
 * of a person before the event.
 */
export const triggerConsumers = (parts: Recording): readonly Consumer[] =>
	eventTypes
		.filter(hasRules)
		.map((type) => defineConsumer(type, (db, event) => recordRuns(parts, db, event)));
