import { callerOf, permit, type Route, route, tenantWide } from "@lango/chassis";
import { Shape } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { channels } from "../channel.ts";
import { acceptOr503 } from "../messages/accept-or-503.ts";
import { requesterOf } from "../messages/requester.ts";
import type { Notifications } from "../parts.ts";
import { personOf } from "../person-of.ts";
import { previewTemplate } from "../templates/preview-template.ts";
import { requireTemplate } from "../templates/require-template.ts";
import { pathOf, scopeOf } from "../templates/template-scope.ts";
import { SamplesWire } from "../templates/template-source-wire.ts";
import { TemplateParams } from "../templates/template-wire.ts";
import { sendTest } from "./test-template.ts";

/** The test of a draft: a message to its author. */
export const testRoutes = (domain: Notifications): readonly Route[] => [
	route({
		method: "POST",
		url: "/templates/:group/:name/test",
		access: permit("notifications.templates.change"),
		product: "notifications",
		outlets: tenantWide("templates are the tenant's"),
		schema: {
			summary: "Sends the draft of a template to the caller's own verified address",
			description:
				"Sends the draft, else what is in force, with the samples unless the request has data. On push it goes " +
				"to every device of the caller, in_app to the inbox. A test is an ordinary message of the source test: " +
				"it uses the day's e-mails, the limit of the channel and SMS credit. Statistics and " +
				"notifications.message.completed leave it out, and preferences and quiet hours do not apply. A person " +
				"sends at most 20 an hour (tests_limited). Without a verified address on the channel the answer is " +
				"409 address_unverified; if nothing can be sent to it, 409 test_unreachable with the reason.",
			tags: ["templates"],
			params: TemplateParams,
			body: Shape({
				channel: Type.Enum([...channels], { type: "string" }),
				locale: Type.String({ minLength: 2, maxLength: 10 }),
				data: Type.Optional(SamplesWire),
			}),
			response: {
				202: Type.Object({
					status: Type.Literal("accepted"),
					requestId: Type.String({ format: "uuid" }),
					addresses: Type.Array(Type.String(), { description: "Where it is sent, masked" }),
				}),
			},
		},
		handler: async (request, reply) => {
			const { tenantId, userId, claims } = personOf(request);
			const { channel, locale, data } = request.body;
			const query = { ...scopeOf(domain, request), path: pathOf(request.params) };
			const found = await inTenant(domain.db, tenantId, (tx) => requireTemplate(tx, query));
			const letterhead = await domain.letterheads.get(tenantId);
			const { template, values } = await previewTemplate(
				found,
				{ channel, locale, data, typed: undefined },
				{ letterhead, allowHttp: domain.allowHttp },
			);
			const from = requesterOf(callerOf(request));
			const { messageId, addresses } = await acceptOr503(
				sendTest(domain, { tenantId, userId, claims, channel, locale, template, values, from }),
			);
			return reply.code(202).send({ status: "accepted", requestId: messageId, addresses: [...addresses] });
		},
	}),
];
