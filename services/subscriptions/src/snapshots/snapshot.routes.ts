import { type Route, route, signedIn } from "@lango/chassis";
import { FailureBody, Subscription, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Snapshots } from "./cached-snapshots.ts";
import { namesEntityTag } from "./entity-tag.ts";

const Params = Type.Object({ tenant_id: Uuid });
const Headers = Type.Object({ "if-none-match": Type.Optional(Type.String({ maxLength: 1_000 })) });

/** Whether the caller may see the tenant of the address was settled before, in `pipeline.ts`. */
export const subscriptionRoutes = ({ snapshots }: { snapshots: Snapshots }): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription",
		access: signedIn(),
		schema: {
			summary: "A tenant's subscription as it stands now",
			description:
				"For services by API key, for members of the tenant by token. 304 when If-None-Match names what it still is.",
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
			// Written already: it goes out as it is, as text, for then it leaves with the headers in one piece.
			const text: unknown = body.toString();
			return reply.type("application/json; charset=utf-8").send(text as Subscription);
		},
	}),
];
