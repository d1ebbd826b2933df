import { type KeyPurpose, type KeyReceiver, servicePurposes } from "@lango/contracts";
import { type ApiKeyParts, readApiKey, readKeyEncryptionKeys } from "@lango/tokens";
import { Secret, type Setting } from "./settings.ts";

/** A setting that holds the key by which this service calls another one, for one purpose. */
export type ServiceKeySetting<T extends Secret | undefined = Secret> = Setting<T> & { purpose: KeyPurpose };

type KeyOptions = { purpose: KeyPurpose; because: string };

/**
 * The key by which a service calls another one for one purpose; its variable is `<SERVICE>_<PURPOSE>_KEY`,
 * as in `HOSPITAL_SNAPSHOT_READ_KEY`. The service that is called lists it in its own setting
 * (`acceptedKeys`).
 */
export function serviceKey(options: KeyOptions & { optional: true }): ServiceKeySetting<Secret | undefined>;
export function serviceKey(options: KeyOptions): ServiceKeySetting;
export function serviceKey(
	options: KeyOptions & { optional?: true },
): ServiceKeySetting<Secret | undefined> | ServiceKeySetting {
	const read = (value: string) => {
		requireKey(value);
		return new Secret(value);
	};
	return { kind: "secret", read, ...options };
}

/**
 * The key-encryption keys of a service, newest first: `<id>:<32 bytes in base64>`, separated by commas. A
 * fault shows no key.
 */
export function keyEncryptionKeys(options: { env?: string; because: string }): Setting<Secret> {
	const read = (value: string) => {
		readKeyEncryptionKeys(value);
		return new Secret(value);
	};
	return { kind: "secret", read, ...options };
}

/** An accepted key of another service: the hash of its secret, and its purposes as permissions. */
export type AcceptedKey = { id: string; secretHash: Buffer; caller: string; permissions: readonly string[] };

type AcceptedOptions = { receiver: KeyReceiver; because: string };

const callerForm = /^[a-z][a-z0-9-]{0,62}$/;

/**
 * The keys that a service accepts from others: `<caller>:<purpose>:<key>`, separated by commas; several
 * purposes of one key are joined by `+`. A fault names the entry by its place and never shows the key.
 */
export function acceptedKeys(
	options: AcceptedOptions & { optional: true },
): Setting<readonly AcceptedKey[] | undefined>;
export function acceptedKeys(options: AcceptedOptions): Setting<readonly AcceptedKey[]>;
export function acceptedKeys({
	receiver,
	...options
}: AcceptedOptions & { optional?: true }):
	| Setting<readonly AcceptedKey[]>
	| Setting<readonly AcceptedKey[] | undefined> {
	const purposes: readonly string[] = servicePurposes[receiver];
	const read = (value: string): readonly AcceptedKey[] => {
		const keys = value.split(",").map((entry, index) => readEntry(entry.trim(), index + 1, purposes));
		if (new Set(keys.map(({ id }) => id)).size < keys.length)
			throw new Error("names a key twice: each entry has a key of its own");
		return keys;
	};
	return { kind: "secret", read, ...options };
}

function readEntry(entry: string, place: number, purposes: readonly string[]): AcceptedKey {
	const [caller = "", named = "", ...rest] = entry.split(":");
	const permissions = named.split("+");
	const key = readApiKey(rest.join(":"));
	if (!callerForm.test(caller) || !permissions.every((one) => purposes.includes(one)) || key === undefined)
		throw new Error(
			`is <caller>:<purpose>:<key>, separated by commas; entry ${place} has another form, or its purpose is not one of ${purposes.join(", ")}`,
		);
	return { ...key, caller, permissions };
}

/**
 * A key of a service that its own setting states, for programs outside of the suite. Only the hash of its
 * secret is kept. A shorter secret is refused, so that it cannot be guessed.
 */
export const platformKey = (options: { env: string; because: string }): Setting<ApiKeyParts | undefined> => ({
	kind: "secret",
	read: requireKey,
	optional: true,
	...options,
});

function requireKey(value: string): ApiKeyParts {
	const key = readApiKey(value);
	if (key === undefined)
		throw new Error("is an API key: lk_<8 to 32 letters or digits>_<32 to 128 of base64url>");
	return key;
}

/**
 * A variable of an earlier release. If it is set, the service does not start and states which variable to
 * set instead.
 */
export function replacedSetting({ env, by }: { env: string; by: string }): Setting<undefined> {
	const read = () => {
		throw new Error(`is no longer read: ${by}`);
	};
	return { kind: "secret", env, optional: true, because: `no longer read: ${by}`, read };
}

/** The page that describes the keys of services. */
export const keysPage = "docs/pages/operating.md, Rotating keys";
