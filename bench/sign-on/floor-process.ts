/**
 * The floor: bare Fastify with the one unavoidable statement per request (insert a code; update it when it is
 * used; update a session when its token is rotated) and the unavoidable signatures (one ES256, one HMAC, and
 * one RS256 with an ID token). It checks only what it needs to find the row. It invents the claims of its
 * tokens or, with READS_CLAIMS, reads them in the same statement from people, memberships, tenants and
 * outlets, as true tokens require. No server that does this work can be faster on the same libraries.
 */
import { createHmac, createSecretKey, generateKeyPairSync, hash, randomUUID, sign } from "node:crypto";
import fastify from "fastify";
import pg from "pg";
import { fromDer } from "../../packages/tokens/src/ecdsa-signature.ts";
import { type FloorSession, floorSessions, prepareClaims, prepareFloor, recordCode } from "./floor.store.ts";
import { client, personOf } from "./person.ts";

const {
	PORT,
	ISSUER = "",
	DATABASE_URL,
	DATABASE_CONNECTIONS,
	PEOPLE,
	ID_TOKEN_ALG,
	READS_CLAIMS,
} = process.env;
const secret = createSecretKey(Buffer.from("the floor's key for refresh tokens"));
const keys = {
	ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
	RS256: generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey,
};
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_CONNECTIONS) });
await prepareFloor(pool);
if (READS_CLAIMS === "yes") await prepareClaims(pool, Number(PEOPLE));
const { takeCode, rotate } = floorSessions(pool, READS_CLAIMS === "yes");

const sha256 = (text: string) => hash("sha256", text, "buffer");
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function signJwt(alg: keyof typeof keys, typ: string, claims: object): string {
	const text = `${encode({ alg, typ, kid: `bench-${alg}` })}.${encode(claims)}`;
	const signature = sign("sha256", Buffer.from(text), keys[alg]);
	return `${text}.${(alg === "ES256" ? fromDer(signature) : signature).toString("base64url")}`;
}

const refreshToken = (id: string, generation: number) =>
	`${id}.${generation}.${createHmac("sha256", secret).update(`${id}.${generation}`).digest("base64url")}`;

function tokens(id: string, session: FloorSession, hasIdToken: boolean) {
	const iat = Math.floor(Date.now() / 1_000);
	const { email, name, claims } = session.said ?? personOf(session.person);
	const common = { iss: ISSUER, sub: randomUUID(), iat, sid: id };
	const { id: clientId, scope } = client;
	const accessToken = signJwt("ES256", "at+jwt", {
		...common,
		...claims,
		aud: "lango",
		exp: iat + 21_600,
		jti: randomUUID(),
		client_id: clientId,
		scope,
	});
	if (!hasIdToken) return answerOf(accessToken);
	const idToken = signJwt(ID_TOKEN_ALG === "ES256" ? "ES256" : "RS256", "JWT", {
		...common,
		aud: clientId,
		exp: iat + 3_600,
		auth_time: iat,
		nonce: session.nonce,
		amr: ["pwd"],
		email,
		email_verified: true,
		name,
	});
	return { ...answerOf(accessToken), id_token: idToken };
}

const answerOf = (accessToken: string) => ({
	access_token: accessToken,
	token_type: "Bearer",
	expires_in: 21_600,
	scope: client.scope,
});

const app = fastify({ keepAliveTimeout: 72_000 });
const form = { parseAs: "string" } as const;
app.addContentTypeParser("application/x-www-form-urlencoded", form, (_, body, done) =>
	done(null, Object.fromEntries(new URLSearchParams(body as string))),
);

app.get("/healthz", async () => ({ ok: true }));

app.get<{ Querystring: Record<string, string> }>("/authorize", async ({ query }, reply) => {
	const { code_challenge: codeChallenge = "", nonce = "", state = "", redirect_uri: to = "" } = query;
	const id = randomUUID();
	await recordCode(pool, { id, person: Math.floor(Math.random() * Number(PEOPLE)), codeChallenge, nonce });
	return reply.redirect(`${to}?code=${id}&state=${state}`, 303);
});

app.post<{ Body: Record<string, string> }>("/token", async ({ body }, reply) => {
	const isCode = body["code"] !== undefined;
	const [id = "", generation = "0"] = (body["code"] ?? body["refresh_token"] ?? "").split(".");
	const next = refreshToken(id, isCode ? 0 : Number(generation) + 1);
	const session = isCode
		? await takeCode(id, sha256(next))
		: await rotate({ id, hash: sha256(body["refresh_token"] ?? ""), nextHash: sha256(next) });
	if (session === undefined) return reply.code(400).send({ error: "invalid_grant" });
	return { ...tokens(id, session, isCode || body["scope"] !== undefined), refresh_token: next };
});

await app.listen({ port: Number(PORT), host: "localhost" });
process.on("SIGTERM", () => process.exit(0));
