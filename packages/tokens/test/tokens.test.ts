import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { jwtVerify } from "jose";
import { beforeAll, expect, test } from "vitest";
import {
	createRevocations,
	createVerifier,
	exportSigningKey,
	generateSigningKey,
	hashSecret,
	importSigningKey,
	KeySetUnavailable,
	localKeySet,
	mintApiKey,
	publicJwk,
	readApiKey,
	readKeyEncryptionKeys,
	readPublicJwk,
	remoteKeySet,
	type SigningKey,
	seal,
	signJwt,
	UnsealFailed,
	unseal,
	type VerifyingKey,
} from "../src/index.ts";

let es: SigningKey;
let rs: SigningKey;
let other: SigningKey;
beforeAll(async () => {
	[es, rs, other] = await Promise.all([
		generateSigningKey("ES256"),
		generateSigningKey("RS256"),
		generateSigningKey("ES256"),
	]);
});

const at = new Date("2026-03-02T08:00:00Z");
const seconds = at.getTime() / 1_000;
const standard = {
	iss: "https://issuer.example",
	aud: "lango",
	sub: "u",
	client_id: "c",
	jti: "j",
	iat: seconds,
	exp: seconds + 600,
};
const verifying = (key: SigningKey) => readPublicJwk(publicJwk(key)) as VerifyingKey;
const verifier = (options: { now?: Date; isRevoked?: () => boolean } = {}) =>
	createVerifier({
		issuer: standard.iss,
		audiences: ["lango"],
		keys: localKeySet(() => [verifying(es), verifying(rs)]),
		now: () => options.now ?? at,
		...(options.isRevoked && { isRevoked: options.isRevoked }),
	});

test("jose accepts the tokens that signJwt creates", async () => {
	for (const key of [es, rs]) {
		const { payload, protectedHeader } = await jwtVerify(
			signJwt(key, "at+jwt", standard),
			verifying(key).publicKey,
			{ currentDate: at },
		);
		expect(payload).toEqual(standard);
		expect(protectedHeader).toEqual({ alg: key.algorithm, typ: "at+jwt", kid: key.kid });
	}
});

test("a valid token returns its claims, the first time and from the cache", async () => {
	const check = verifier();
	const token = signJwt(es, "at+jwt", standard);
	expect(await check.verify(token)).toEqual(standard);
	expect(await check.verify(token)).toEqual(standard);
});

const refused: ReadonlyArray<readonly [what: string, reason: string, make: () => string]> = [
	["an id token", "type", () => signJwt(es, "JWT", standard)],
	["an unpublished key", "key_unknown", () => signJwt(other, "at+jwt", standard)],
	[
		"a foreign signature under a known kid",
		"signature",
		() => signJwt({ ...other, kid: es.kid }, "at+jwt", standard),
	],
	["another issuer", "issuer", () => signJwt(es, "at+jwt", { ...standard, iss: "https://evil.example" })],
	["another audience", "audience", () => signJwt(es, "at+jwt", { ...standard, aud: ["x"] })],
	["no audience", "audience", () => signJwt(es, "at+jwt", { ...standard, aud: undefined })],
	["an expired token", "expired", () => signJwt(es, "at+jwt", { ...standard, exp: seconds - 60 })],
	["a token from the future", "not_yet", () => signJwt(es, "at+jwt", { ...standard, iat: seconds + 61 })],
	["roles that are not a list", "claims", () => signJwt(es, "at+jwt", { ...standard, roles: "superuser" })],
	["no subject", "claims", () => signJwt(es, "at+jwt", { ...standard, sub: undefined })],
	["no expiry", "claims", () => signJwt(es, "at+jwt", { ...standard, exp: undefined })],
	[
		"the algorithm none",
		"algorithm",
		() => `${encode({ alg: "none", kid: es.kid, typ: "at+jwt" })}.${encode(standard)}.`,
	],
	[
		"an HMAC under the public key",
		"algorithm",
		() => `${encode({ alg: "HS256", kid: es.kid, typ: "at+jwt" })}.${encode(standard)}.abc`,
	],
	[
		"another algorithm than the key's",
		"algorithm",
		() => `${encode({ alg: "RS256", kid: es.kid, typ: "at+jwt" })}.${encode(standard)}.abc`,
	],
	[
		"a critical header",
		"malformed",
		() => `${encode({ alg: "ES256", kid: es.kid, typ: "at+jwt", crit: ["x"] })}.${encode(standard)}.abc`,
	],
	["two parts", "malformed", () => "a.b"],
	["a text over the maximum length", "malformed", () => "a".repeat(20_000)],
];
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

test.each(refused)("%s is refused: %s", async (_what, reason, make) => {
	await expect(verifier().verify(make())).rejects.toMatchObject({ name: "TokenRefused", reason });
});

test("a clock skew of sixty seconds is accepted, a larger one is refused", async () => {
	const token = signJwt(es, "at+jwt", standard);
	await expect(verifier({ now: new Date((standard.exp + 59) * 1_000) }).verify(token)).resolves.toBeDefined();
	await expect(verifier({ now: new Date((standard.exp + 60) * 1_000) }).verify(token)).rejects.toMatchObject({
		reason: "expired",
	});
	await expect(verifier({ now: new Date((seconds - 60) * 1_000) }).verify(token)).resolves.toBeDefined();
});

test("revocation and expiry are checked for cached tokens too", async () => {
	let now = at;
	let revoked = false;
	const check = createVerifier({
		issuer: standard.iss,
		audiences: ["lango"],
		keys: localKeySet(() => [verifying(es)]),
		now: () => now,
		isRevoked: () => revoked,
	});
	const token = signJwt(es, "at+jwt", standard);
	await check.verify(token);
	revoked = true;
	await expect(check.verify(token)).rejects.toMatchObject({ reason: "revoked" });
	revoked = false;
	now = new Date((standard.exp + 61) * 1_000);
	await expect(check.verify(token)).rejects.toMatchObject({ reason: "expired" });
});

test("any text is refused with TokenRefused and never fails with another error", async () => {
	const check = verifier();
	await fc.assert(
		fc.asyncProperty(
			fc.oneof(
				fc.string(),
				fc.tuple(fc.base64String(), fc.base64String(), fc.base64String()).map((parts) => parts.join(".")),
			),
			async (text) => {
				await expect(check.verify(text)).rejects.toMatchObject({ name: "TokenRefused" });
			},
		),
	);
});

test("a private key can be exported and imported, and its kid is the thumbprint of the public key", async () => {
	const again = importSigningKey(es.kid, "ES256", exportSigningKey(es));
	expect(publicJwk(again)).toEqual(publicJwk(es));
	expect(publicJwk(es)).not.toHaveProperty("d");
});

/** A JWKS endpoint that counts its requests. */
function issuerOf(keys: () => SigningKey[]) {
	const stand = { asked: 0, isDown: false };
	const get = (async () => {
		stand.asked += 1;
		if (stand.isDown) throw new TypeError("connection refused");
		return Response.json({ keys: keys().map(publicJwk) });
	}) as typeof fetch;
	return { stand, get };
}

test("an unknown kid causes one fetch, and another one only after the cool-down", async () => {
	let now = at;
	let published = [es];
	const { stand, get } = issuerOf(() => published);
	const keys = remoteKeySet({ url: "https://issuer.example/jwks", now: () => now, fetch: get });
	await Promise.all(Array.from({ length: 20 }, () => keys.find(es.kid)));
	expect(stand.asked).toBe(1);
	published = [es, other];
	for (let attempt = 0; attempt < 50; attempt += 1) await keys.find(`forged-${attempt}`);
	expect(stand.asked).toBe(1);
	now = new Date(at.getTime() + 10_000);
	expect((await keys.find(other.kid))?.kid).toBe(other.kid);
	expect(stand.asked).toBe(2);
});

test("cached keys stay in use while the issuer is down; without cached keys the result is KeySetUnavailable", async () => {
	let now = at;
	const { stand, get } = issuerOf(() => [es]);
	const keys = remoteKeySet({ url: "https://issuer.example/jwks", now: () => now, fetch: get });
	await keys.find(es.kid);
	stand.isDown = true;
	now = new Date(at.getTime() + 3_600_000);
	expect((await keys.find(es.kid))?.kid).toBe(es.kid);
	const fresh = remoteKeySet({ url: "https://issuer.example/jwks", now: () => now, fetch: get });
	await expect(fresh.find(es.kid)).rejects.toBeInstanceOf(KeySetUnavailable);
	await expect(fresh.find(es.kid)).rejects.toBeInstanceOf(KeySetUnavailable);
});

test("a sealed secret opens only with its key and its context", () => {
	const keys = [{ id: "k1", key: randomBytes(32) }];
	fc.assert(
		fc.property(fc.string(), (secret) => {
			const sealed = seal(keys, "signing-key:1", secret);
			expect(unseal(keys, "signing-key:1", sealed)).toBe(secret);
			expect(() => unseal(keys, "signing-key:2", sealed)).toThrow();
			expect(() => unseal([{ id: "k1", key: randomBytes(32) }], "signing-key:1", sealed)).toThrow();
		}),
	);
	const rotated = [{ id: "k2", key: randomBytes(32) }, ...keys];
	expect(unseal(rotated, "c", seal(keys, "c", "old"))).toBe("old");
	expect(seal(rotated, "c", "new").keyId).toBe("k2");
	expect(() => unseal(keys, "c", seal(rotated, "c", "new"))).toThrow(
		new UnsealFailed('the key-encryption key "k2" is missing'),
	);
	expect(() => unseal([{ id: "k1", key: randomBytes(32) }], "c", seal(keys, "c", "old"))).toThrow(
		new UnsealFailed(
			'the key-encryption key "k1" is not the one that encrypted this, or the text was changed',
		),
	);
});

test("key-encryption keys are parsed from one setting; an error message contains no key", () => {
	const encoded = randomBytes(32).toString("base64");
	expect(readKeyEncryptionKeys(`a:${encoded}, b:${encoded}`).map(({ id }) => id)).toEqual(["a", "b"]);
	for (const text of ["", "a", "a:short", `a:${encoded},a:${encoded}`])
		expect(() => readKeyEncryptionKeys(text)).toThrow();
	expect(() => readKeyEncryptionKeys("a:c2hvcnQ=")).toThrow(/^(?!.*c2hvcnQ)/);
});

test("an API key is parsed into id and hash; any other text returns undefined", () => {
	for (let round = 0; round < 200; round += 1) {
		const { text, id, secretHash } = mintApiKey();
		expect(readApiKey(text)).toEqual({ id, secretHash });
	}
	for (const text of ["", "lk_", "lk_short_x", `xx_${"a".repeat(16)}_${"b".repeat(43)}`])
		expect(readApiKey(text)).toBeUndefined();
	expect(hashSecret("x")).toHaveLength(32);
});

test("a cached token is refused once its key is removed", async () => {
	let published = [verifying(es)];
	const check = createVerifier({
		issuer: standard.iss,
		audiences: ["lango"],
		keys: localKeySet(() => published),
		now: () => at,
	});
	const token = signJwt(es, "at+jwt", standard);
	await check.verify(token);
	published = [];
	await expect(check.verify(token)).rejects.toMatchObject({ reason: "key_unknown" });
});

test("a revocation is kept for as long as the session's tokens could live", () => {
	let now = at;
	const revocations = createRevocations({ now: () => now });
	revocations.add("s1");
	expect(revocations.isRevoked({ sid: "s1" })).toBe(true);
	expect(revocations.isRevoked({ sid: "s2" })).toBe(false);
	expect(revocations.isRevoked({})).toBe(false);
	now = new Date(at.getTime() + 6 * 3_600_000);
	revocations.add("s3");
	expect(revocations.isRevoked({ sid: "s1" })).toBe(true);
	now = new Date(at.getTime() + 7 * 3_600_000);
	revocations.add("s4");
	expect(revocations.isRevoked({ sid: "s1" })).toBe(false);
	expect(revocations.isRevoked({ sid: "s3" })).toBe(true);
});
