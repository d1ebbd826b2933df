import type { EventEnvelope, EventType } from "@lango/contracts";
import { type KeyEncryptionKeys, seal, unseal } from "@lango/tokens";
import { InvalidEvent } from "./check-event.ts";

/** The names of the sensitive members of each event type that has some. */
export type SensitiveMembers = ReadonlyMap<string, readonly string[]>;

/** Returns the sensitive members of event types. */
export const sensitiveMembersOf = (types: readonly EventType[]): SensitiveMembers =>
	new Map(types.flatMap(({ type, sensitive = [] }) => (sensitive.length > 0 ? [[type, sensitive]] : [])));

/** A value with its place in the event. */
type Part = [path: readonly string[], value: unknown];
/** What is encrypted: the values of an event, or all bytes of an unreadable message. */
type Secrets = { parts: readonly Part[] } | { bytes: string };

type Members = Record<string, unknown>;
type Stored = EventEnvelope & { sealed?: unknown };

/** No contract is nested as deep. Without a limit, a message could exceed the stack. */
const depthMax = 32;

/**
 * Returns the event as it is stored: its sensitive members are empty, at any depth, and their values are
 * encrypted in the member `sealed`. Throws InvalidEvent if it is nested deeper than 32 levels.
 */
export function sealEvent(
	envelope: EventEnvelope,
	{ names, keys }: { names: readonly string[]; keys: KeyEncryptionKeys },
): EventEnvelope {
	const parts: Part[] = [];
	const open = withoutParts(envelope, { names: new Set(names), path: [], parts }) as EventEnvelope;
	const stored: Stored = { ...open, sealed: encrypt(keys, envelope.id, { parts }) };
	return stored;
}

/** Returns an unreadable message as it is stored: encrypted as a whole. */
export function sealMessage(
	bytes: Uint8Array,
	{ id, keys }: { id: string; keys: KeyEncryptionKeys },
): Uint8Array {
	const sealed = encrypt(keys, id, { bytes: Buffer.from(bytes).toString("base64") });
	return Buffer.from(JSON.stringify({ id, sealed }));
}

/** Returns an event with the values that `sealEvent` encrypted. Throws UnsealFailed if its key is missing. */
export function openEvent(stored: EventEnvelope, keys: KeyEncryptionKeys): EventEnvelope {
	const { sealed, ...envelope } = stored as Stored;
	if (typeof sealed !== "string") return stored;
	const secrets = decrypt(keys, envelope.id, sealed);
	if ("parts" in secrets) for (const part of secrets.parts) putBack(envelope, part);
	return envelope;
}

/** Returns the bytes of a stored message as they came. Throws UnsealFailed if its key is missing. */
export function openMessage(stored: Uint8Array, keys: KeyEncryptionKeys): Uint8Array {
	const message = parse(stored);
	if (message === undefined || typeof message.sealed !== "string") return stored;
	const secrets = decrypt(keys, message.id, message.sealed);
	if ("bytes" in secrets) return Buffer.from(secrets.bytes, "base64");
	return Buffer.from(JSON.stringify(openEvent(message, keys)));
}

/** Returns the text of a stored message for a listing: without its encrypted values. */
export function describeMessage(stored: Uint8Array): string {
	const message = parse(stored);
	if (typeof message?.sealed !== "string") return Buffer.from(stored).toString("utf8");
	return JSON.stringify({ ...message, sealed: undefined });
}

function parse(bytes: Uint8Array): Stored | undefined {
	try {
		const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
		return typeof value === "object" && value !== null ? (value as Stored) : undefined;
	} catch {
		return undefined;
	}
}

type Search = { names: ReadonlySet<string>; path: readonly string[]; parts: Part[] };

/** Returns a copy in which the named members are empty, and collects their values. */
function withoutParts(value: unknown, { names, path, parts }: Search): unknown {
	if (typeof value !== "object" || value === null) return value;
	if (path.length >= depthMax) throw new InvalidEvent(`the event is nested deeper than ${depthMax} levels`);
	if (Array.isArray(value))
		return value.map((one, index) => withoutParts(one, { names, parts, path: [...path, String(index)] }));
	const entries = Object.entries(value).map(([name, member]) => {
		const place = [...path, name];
		if (!names.has(name)) return [name, withoutParts(member, { names, parts, path: place })];
		parts.push([place, member]);
		return [name, ""];
	});
	return Object.fromEntries(entries);
}

/** Sets a value at its place, unless the place is gone. */
function putBack(envelope: object, [path, value]: Part): void {
	let owner: unknown = envelope;
	for (const name of path.slice(0, -1)) owner = hasOwn(owner, name) ? owner[name] : undefined;
	const name = path.at(-1) ?? "";
	if (hasOwn(owner, name)) owner[name] = value;
}

const hasOwn = (owner: unknown, name: string): owner is Members =>
	typeof owner === "object" && owner !== null && Object.hasOwn(owner, name);

const contextOf = (id: string) => `event ${id}`;

function encrypt(keys: KeyEncryptionKeys, id: string, secrets: Secrets): string {
	const { keyId, sealed } = seal(keys, contextOf(id), JSON.stringify(secrets));
	return `${keyId}:${sealed.toString("base64")}`;
}

function decrypt(keys: KeyEncryptionKeys, id: string, text: string): Secrets {
	const [keyId = "", body = ""] = text.split(":");
	return JSON.parse(unseal(keys, contextOf(id), { keyId, sealed: Buffer.from(body, "base64") }));
}
