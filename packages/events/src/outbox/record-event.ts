import type { EventEnvelope, EventType } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { currentRequestContext, toTraceMembers } from "@lango/tracing";
import type { Static, TSchema } from "typebox";
import { assertData, assertEnvelope } from "../check-event.ts";
import { envelopeBytesMax } from "../envelope.ts";
import { sealEvent } from "../sensitive.ts";
import { uuidV7 } from "../uuid-v7.ts";
import { recordOutboxEvent } from "./outbox.store.ts";

export type NewEvent<D> = {
	/** The id of the entity the event is about. */
	subject: string;
	tenantId?: string | undefined;
	tenantSlug?: string | undefined;
	/** The id of the request that caused the event. Default: the current request context. */
	correlationId?: string | undefined;
	now: Date;
	data: D;
	/** Encrypt the sensitive members in the outbox. Required for types that have some. */
	keys?: KeyEncryptionKeys | undefined;
};

/**
 * Records an event in the outbox, in the transaction of the state it describes: both commit or neither does.
 * Returns the event's id. Call it last: the statement is then sent together with the commit. The subject is
 * locked until the transaction ends, so record events of several subjects in a stable order. Throws an Error
 * if the data does not match the contract or is too large, or the keys for its sensitive members are
 * missing, which is a bug.
 */
export async function recordEvent<S extends TSchema>(
	db: Database,
	eventType: EventType<S>,
	event: NewEvent<Static<S>>,
): Promise<string> {
	const { subject, tenantId, tenantSlug, now, data } = event;
	const context = currentRequestContext();
	const correlationId = event.correlationId ?? context?.correlationId;
	const envelope: EventEnvelope = {
		specversion: "1.0",
		id: uuidV7(now),
		source: eventType.source,
		type: eventType.type,
		time: now.toISOString(),
		subject,
		datacontenttype: "application/json",
		...(tenantId !== undefined && { tenantid: tenantId }),
		...(tenantSlug !== undefined && { tenantslug: tenantSlug }),
		...(correlationId !== undefined && { correlationid: correlationId }),
		...toTraceMembers(context?.at),
		data,
	};
	assertEnvelope(envelope);
	assertData(eventType, data);
	const text = JSON.stringify(toStored(eventType, envelope, event.keys));
	const bytes = Buffer.byteLength(text);
	if (bytes > envelopeBytesMax)
		throw new Error(`${eventType.type} has ${bytes} bytes, the maximum is ${envelopeBytesMax}`);
	await recordOutboxEvent(db, envelope, text);
	return envelope.id;
}

function toStored(
	{ type, sensitive: names = [] }: EventType,
	envelope: EventEnvelope,
	keys: KeyEncryptionKeys | undefined,
): EventEnvelope {
	if (names.length === 0) return envelope;
	if (keys === undefined) throw new Error(`${type} has sensitive members: pass keys to record it`);
	return sealEvent(envelope, { names, keys });
}
