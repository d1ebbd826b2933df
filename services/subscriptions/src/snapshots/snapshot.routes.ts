import { namesEntityTag, type Route, route, signedIn } from "@lango/chassis";
import { FailureBody, Subscription, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Snapshots } from "./cached-snapshots.ts";

const Params = Type.Object({ tenant_id: Uuid });
const Headers = Type.Object({ "if-none-match": Type.Optional(Type.String({ maxLength: 1_000 })) });

/** Reads a tenant's snapshot. `pipeline.ts` has checked that the caller can read the tenant. */
export const subscriptionRoutes = ({ snapshots }: { snapshots: Snapshots }): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription",
		access: signedIn(),
		schema: {
			summary: "Get a tenant's current subscription",
			description:
				"For services with an API key, and for members of the tenant. Returns 304 if If-None-Match contains the current ETag.",
			tags: ["subscription"],
			params: Params,
			headers: Headers,
			response: {
				200: Subscription,
				304: Type.Unsafe<undefined>({ type: "null", description: "Unchanged" }),
				"4xx": FailureBody,
				"5xx": FailureBody,
			},
		},
		handler: async (request, reply) => {
			const { body, tag } = await snapshots.get(request.params.tenant_id);
			reply.headers({ etag: tag, "cache-control": "private, no-cache", vary: "Authorization, X-API-Key" });
			if (namesEntityTag(request.headers["if-none-match"], tag)) return reply.code(304).send();
			// Sent as text, without another serialization, so that it leaves in one write with the headers.
			const text: unknown = body.toString();
			return reply.type("application/json; charset=utf-8").send(text as Subscription);
		},
	}),
];
