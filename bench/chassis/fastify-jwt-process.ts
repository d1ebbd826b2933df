/**
 * A peer: Fastify with `@fastify/jwt` and `get-jwks`, which only check the token. With `CACHED` it caches
 * verified tokens. The key is cached as PEM: `get-jwks` converts it at every request, which takes a hundred
 * times as long as the check.
 */
import fastifyJwt from "@fastify/jwt";
import fastify, { type FastifyRequest } from "fastify";
import getJwks from "get-jwks";
import { Thing, thing, thingRoute } from "./things.ts";

type CompleteToken = { header: { kid: string; alg: string }; payload: { iss: string } };

const { PORT, ISSUER = "", AUDIENCE = "", CACHED } = process.env;
const keys = getJwks({ issuersWhitelist: [ISSUER, `${ISSUER}/`] });
const written = new Map<string, string>();
const app = fastify({ keepAliveTimeout: 72_000 });
await app.register(fastifyJwt, {
	decode: { complete: true },
	secret: async (_request: FastifyRequest, token: unknown) => {
		const { header, payload } = token as CompleteToken;
		const known = written.get(header.kid);
		if (known !== undefined) return known;
		const key = await keys.getPublicKey({ kid: header.kid, alg: header.alg, domain: payload.iss });
		written.set(header.kid, key);
		return key;
	},
	verify: {
		algorithms: ["ES256"],
		allowedIss: ISSUER,
		allowedAud: AUDIENCE,
		cache: CACHED === "yes" ? 10_000 : false,
	},
});
app.get(
	thingRoute,
	{ schema: { response: { 200: Thing } }, onRequest: (request) => request.jwtVerify() },
	async () => thing,
);
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.once("SIGTERM", () => process.exit(0));
