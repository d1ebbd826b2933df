import type { EventEnvelope } from "@lango/contracts";
import { assertEnvelope, InvalidEvent } from "./check-event.ts";
import type { OnError } from "./transport.ts";

/** The maximum size of an event in bytes. */
export const envelopeBytesMax = 262_144;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Serializes an event. */
export const toBytes = (envelope: EventEnvelope): Uint8Array => Buffer.from(JSON.stringify(envelope));

/**
 * Parses an event. Throws InvalidEvent if it is malformed, too large, or of another type than it was
 * published as.
 */
export function readEnvelope(bytes: Uint8Array, type: string): EventEnvelope {
	if (bytes.byteLength > envelopeBytesMax)
		throw new InvalidEvent(`the event has ${bytes.byteLength} bytes, the maximum is ${envelopeBytesMax}`);
	const envelope = parse(bytes);
	assertEnvelope(envelope);
	if (envelope.type !== type)
		throw new InvalidEvent(`the event has the type ${envelope.type} but was published as ${type}`);
	return envelope;
}

/** Parses an event for observers: reports an invalid event to `onError` and returns undefined. */
export function readOrReport(bytes: Uint8Array, type: string, onError: OnError): EventEnvelope | undefined {
	try {
		return readEnvelope(bytes, type);
	} catch (error) {
		onError(error, `read ${type}`);
		return undefined;
	}
}

function parse(bytes: Uint8Array): unknown {
	try {
		const text = decoder.decode(bytes);
		// PostgreSQL cannot store this character in any text.
		if (/\\u0000/.test(text)) throw new InvalidEvent("the event contains the character U+0000");
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof InvalidEvent) throw error;
		throw new InvalidEvent("the event is not valid JSON", { cause: error });
	}
}
