import type { EventEnvelope } from "@lango/contracts";
import { assertEnvelope, Misfit } from "./check-event.ts";
import type { OnError } from "./transport.ts";

/** What a message of the bus may weigh; an event tells what happened, it is no place for files. */
export const envelopeBytesMax = 262_144;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The bytes an event travels as. */
export const toBytes = (envelope: EventEnvelope): Uint8Array => Buffer.from(JSON.stringify(envelope));

/** Reads what came. Throws Misfit when it is no event, is too large, or is not of the type it was published as. */
export function readEnvelope(bytes: Uint8Array, type: string): EventEnvelope {
	if (bytes.byteLength > envelopeBytesMax)
		throw new Misfit(`it has ${bytes.byteLength} bytes, more than ${envelopeBytesMax}`);
	const envelope = parse(bytes);
	assertEnvelope(envelope);
	if (envelope.type !== type) throw new Misfit(`it says it is ${envelope.type} but was published as ${type}`);
	return envelope;
}

/** The same for who cannot do anything about what is none: it is told of and passed over. */
export function readOrTell(bytes: Uint8Array, type: string, onError: OnError): EventEnvelope | undefined {
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
		// PostgreSQL keeps no such character, in no text: nothing could be done with the event.
		if (/\\u0000/.test(text)) throw new Misfit("it holds the character 0");
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof Misfit) throw error;
		throw new Misfit("it is no JSON", { cause: error });
	}
}
