import { mintApiKey } from "@lango/tokens";
import { expect, test } from "vitest";
import { acceptedKeys, platformKey, replacedSetting, serviceKey } from "./service-keys.ts";
import { defineSettings, readSettings, SettingsError } from "./settings.ts";

const table = {
	apiKeys: acceptedKeys({ receiver: "auth", because: "the keys of others" }),
	old: replacedSetting({ env: "AUTH_API_KEY", by: "set AUTH_API_KEYS" }),
	platformKey: platformKey({ env: "AUTH_OWN_KEY", because: "programs outside" }),
	snapshotReadKey: serviceKey({ purpose: "snapshot.read", because: "asks for snapshots" }),
};
const read = (environment: Record<string, string>) =>
	readSettings(defineSettings("AUTH", table), {
		AUTH_API_KEYS: `hospital:tenants.read:${mintApiKey().text}`,
		AUTH_SNAPSHOT_READ_KEY: mintApiKey().text,
		...environment,
	});
const faultOf = (environment: Record<string, string>): string => {
	try {
		read(environment);
		return "";
	} catch (error) {
		expect(error).toBeInstanceOf(SettingsError);
		return String(error);
	}
};

test("accepted keys are read with caller, purposes and hash, and without the secret", () => {
	const [one, other] = [mintApiKey(), mintApiKey()];
	const { apiKeys } = read({
		AUTH_API_KEYS: `hospital:tenants.read:${one.text}, notifications:links.read+tenants.read:${other.text}`,
	});
	expect(apiKeys).toEqual([
		{ id: one.id, secretHash: one.secretHash, caller: "hospital", permissions: ["tenants.read"] },
		{
			id: other.id,
			secretHash: other.secretHash,
			caller: "notifications",
			permissions: ["links.read", "tenants.read"],
		},
	]);
});

const key = mintApiKey().text;
test.each([
	["without caller and purpose", key, "entry 1"],
	["with a purpose of another service", `hospital:snapshot.read:${key}`, "entry 1"],
	["with an invalid caller name", `Hospital:tenants.read:${key}`, "entry 1"],
	["with a malformed key", "hospital:tenants.read:secretsecret", "entry 1"],
	["with an empty entry", `hospital:tenants.read:${key},`, "entry 2"],
	["that is named twice", `hospital:tenants.read:${key},pos:tenants.read:${key}`, "names a key twice"],
])("an entry %s is refused, and the key is not shown", (_, value, says) => {
	const fault = faultOf({ AUTH_API_KEYS: value });
	expect(fault).toContain(says);
	expect(fault).not.toContain(key);
	expect(fault).not.toContain("secretsecret");
});

test("a key by which a service calls another has the form of a key", () => {
	const fault = faultOf({ AUTH_SNAPSHOT_READ_KEY: "secretsecret" });
	expect(fault).toContain("AUTH_SNAPSHOT_READ_KEY is an API key");
	expect(fault).not.toContain("secretsecret");
});

test("a start with the setting of an earlier release is refused with what to set instead, without showing the key", () => {
	const fault = faultOf({ AUTH_API_KEY: key });
	expect(fault).toContain("AUTH_API_KEY is no longer read: set AUTH_API_KEYS");
	expect(fault).not.toContain(key);
});

test("a platform key is kept as its hash, and a secret that is too short is refused and not shown", () => {
	const { text, id, secretHash } = mintApiKey();
	expect(read({ AUTH_OWN_KEY: text }).platformKey).toEqual({ id, secretHash });
	expect(read({}).platformKey).toBeUndefined();
	const short = text.slice(0, -20);
	expect(faultOf({ AUTH_OWN_KEY: short })).toContain("AUTH_OWN_KEY is an API key: lk_");
	expect(faultOf({ AUTH_OWN_KEY: short })).not.toContain(short);
});
