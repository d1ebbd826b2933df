/** A peer: Express with `express-oauth2-jwt-bearer`, which only checks the token. */
import express from "express";
import { auth } from "express-oauth2-jwt-bearer";
import { thing, thingRoute } from "./things.ts";

const { PORT, ISSUER = "", AUDIENCE = "" } = process.env;
const app = express();
const check = auth({
	issuer: ISSUER,
	audience: AUDIENCE,
	jwksUri: `${ISSUER}/.well-known/jwks.json`,
	tokenSigningAlg: "ES256",
});
app.get(thingRoute, check, (_request, response) => void response.json(thing));
app.get("/healthz", (_request, response) => void response.json({ ok: true }));
const server = app.listen(Number(PORT), "localhost");
server.keepAliveTimeout = 72_000;
process.once("SIGTERM", () => process.exit(0));
