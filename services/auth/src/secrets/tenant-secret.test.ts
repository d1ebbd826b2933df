import { randomBytes, randomUUID } from "node:crypto";
import { mintSecret } from "@lango/tokens";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTenantSecrets } from "./tenant-secret.ts";

const key = (id: string) => ({ id, key: randomBytes(32) });
const old = key("k1");
const secrets = createTenantSecrets([old]);

test("a value is read back as it was written, also with a newer key", () => {
	const renewed = createTenantSecrets([key("k2"), old]);
	fc.assert(
		fc.property(fc.uuid(), (tenantId) => {
			const value = { secret: mintSecret(), tenantId };
			expect(secrets.read(secrets.write(value))).toEqual(value);
			expect(renewed.read(secrets.write(value))).toEqual(value);
		}),
	);
});

test("two values of one tenant have nothing in common but the key's id", () => {
	const tenantId = randomUUID();
	const [one, other] = [0, 1].map(() => secrets.write({ secret: mintSecret(), tenantId }).split("."));
	expect(one?.[2]).not.toBe(other?.[2]);
	expect(one?.join(".")).not.toContain(tenantId.slice(0, 8));
});

test("a value with any one character changed names another secret or tenant, or is not read", () => {
	const value = { secret: mintSecret(), tenantId: randomUUID() };
	const text = secrets.write(value);
	fc.assert(
		fc.property(fc.nat(text.length - 1), fc.constantFrom(..."abc0189-_.AZ"), (at, character) => {
			const changed = text.slice(0, at) + character + text.slice(at + 1);
			if (changed !== text) expect(secrets.read(changed)).not.toEqual(value);
		}),
		{ numRuns: 500 },
	);
});
