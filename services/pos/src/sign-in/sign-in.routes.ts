import { open, originOf, type Route, route } from "@lango/chassis";
import { Shape, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Pos } from "../pos.ts";
import { signIn } from "./sign-in.ts";

const Session = Type.Object({
	access_token: Type.String({ description: "Valid at this service, for this person at this till" }),
	token_type: Type.Literal("Bearer"),
	expires_in: Type.Integer({ description: "Seconds" }),
	user_id: Uuid,
	name: Type.String(),
	pos_role: Type.String(),
	permissions: Type.Array(Type.String()),
	outlet_id: Uuid,
});

/** The URLs of PIN sign-in: that of the specification (§4.3), and the same below the API's prefix. */
const addresses = ["/auth/pin", "/api/v1/auth/pin"] as const;

/** Sign-in at a till, and the public keys of till tokens. */
export const signInRoutes = (pos: Pos): readonly Route[] => [
	...addresses.map((url) =>
		route({
			method: "POST",
			url,
			access: open("a till and a PIN are the credential (spec §4.3)"),
			subscription: { exempt: "sign-in works without a current subscription" },
			schema: {
				summary: "Signs a person in at a till by PIN. A wrong till, person or PIN gives the same error",
				body: Shape({
					tenant: Type.String({ minLength: 1, maxLength: 63, description: "The tenant's slug or id" }),
					terminal: Type.String({ minLength: 1, maxLength: 200, description: "The till's token" }),
					user_id: Uuid,
					pin: Type.String({ minLength: 1, maxLength: 32 }),
				}),
				response: { 200: Session },
			},
			handler: async (request, reply) => {
				const { tenant, terminal, user_id: subject, pin } = request.body;
				const session = await signIn(pos, {
					tenant,
					terminal,
					subject: subject.toLowerCase(),
					pin,
					origin: originOf(request),
				});
				reply.header("cache-control", "no-store");
				return {
					access_token: session.token,
					token_type: "Bearer" as const,
					expires_in: session.expiresInSeconds,
					user_id: subject.toLowerCase(),
					name: session.holder.name,
					pos_role: session.atTill.role,
					permissions: [...session.atTill.permissions],
					outlet_id: session.till.outletId,
				};
			},
		}),
	),
	route({
		method: "GET",
		url: "/.well-known/jwks.json",
		access: open("RFC 7517: public keys, with which anyone can verify till tokens"),
		schema: { summary: "The public keys of till tokens" },
		handler: (_request, reply) =>
			reply.header("cache-control", "public, max-age=300").send({ keys: pos.keyRing.published() }),
	}),
];
