import { apiKey, type Route, route } from "@lango/chassis";
import { FailureBody, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { linkAddress } from "../secrets/link-secret.ts";
import { findMailLink } from "./link.store.ts";

const MailLink = Type.Object({
	kind: Type.String(),
	email: Type.String(),
	url: Type.String({ description: "The address that the person opens" }),
	expires_at: Type.String({ format: "date-time" }),
});

/** Where the service that sends mail fetches the links that events name; the only way to them. */
export const linkRoutes = ({ db, links, settings, now }: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/auth/links/:id",
		access: apiKey("links.read"),
		schema: {
			summary: "Returns the address to send by mail, by the id from an event",
			params: Type.Object({ id: Uuid }),
			response: { 200: MailLink, 401: FailureBody, 403: FailureBody, 404: FailureBody },
		},
		handler: async ({ params }, reply) => {
			const found = await findMailLink(db, { id: params.id, now: now() });
			const value = found && links.write({ ...found.link, keyId: found.keyId });
			if (found === undefined || value === undefined) throw failures.link_not_found();
			reply.header("cache-control", "no-store");
			return {
				kind: found.link.kind,
				email: found.email,
				url: linkAddress(settings.accountsUrl, found.link.kind, value),
				expires_at: found.expiresAt.toISOString(),
			};
		},
	}),
];
