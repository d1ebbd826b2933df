import {
	callerOf,
	chassisFailures,
	outletFor,
	outletIn,
	permit,
	type Route,
	route,
	tenantOf,
} from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import type { MessageRequest, Metadata } from "../message.ts";
import type { Notifications } from "../parts.ts";
import { acceptMessage } from "./accept-message.ts";
import { acceptOr503 } from "./accept-or-503.ts";
import { AcceptedWire, NewMessageBody } from "./message-wire.ts";
import { requesterOf } from "./requester.ts";

const tags = ["messages"];
const bodyBytesMax = 512 * 1024;
const dataBytesMax = 32 * 1024;
const labelsMax = 20;

/** The routes of messages. */
export const messageRoutes = (domain: Notifications): readonly Route[] => [sending(domain)];

const sending = (domain: Notifications): Route =>
	route({
		method: "POST",
		url: "/messages",
		access: permit("notifications.messages.add"),
		bodyLimit: bodyBytesMax,
		schema: {
			summary: "Sends a message to one or more recipients",
			description:
				"The message is accepted and queued. A recipient that is suppressed, has switched the category off, or needs credit or a subscription that the tenant lacks is skipped; the deliveries say why. During the trial of its plan a tenant can write to 200 new recipients a day, on all channels together: a request with more is refused as a whole with trial_limit_reached, and Retry-After is the end of the tenant's day. A recipient is new if no delivery of the last 90 days was queued for its address. The same request within 24 hours is accepted once: the repetition has the first requestId and Idempotency-Replayed: true. To send the same text again, send another Idempotency-Key.",
			tags,
			headers: Type.Object({
				"idempotency-key": Type.Optional(
					Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Chosen by the caller" }),
				),
			}),
			body: NewMessageBody,
			response: { 202: AcceptedWire },
		},
		handler: async (request, reply) => {
			const message: MessageRequest = {
				...readRequest(request.body),
				...requesterOf(callerOf(request)),
				tenantId: tenantOf(request).id,
				...optional("outletId", await outletOf(domain, request)),
				...optional("idempotencyKey", request.headers["idempotency-key"]),
			};
			const accepted = await acceptOr503(acceptMessage(domain, message));
			if (accepted.isReplayed) reply.header("idempotency-replayed", "true");
			return reply.code(202).send({ status: "accepted", requestId: accepted.messageId } as const);
		},
	});

/** The outlet of a message; most requests have none and ask nothing. Throws `outlet_not_found`. */
async function outletOf({ db }: Notifications, request: FastifyRequest): Promise<string | undefined> {
	if (outletFor(request) === undefined) return undefined;
	return inTenant(db, tenantOf(request).id, (tx) => outletIn(tx, request));
}

type Body = Static<typeof NewMessageBody>;

function readRequest(body: Body) {
	if (Buffer.byteLength(JSON.stringify(body.data)) > dataBytesMax)
		throw chassisFailures.invalid_input({
			message: "data is too large: at most 32 KB.",
			fields: { field: "data", in: "body" },
		});
	return {
		source: "rest" as const,
		channel: body.channel,
		template: body.template,
		to: body.to,
		data: body.data,
		metadata: readMetadata(body.metadata),
		...optional("locale", body.locale),
		...optional("sendAt", readTime(body.send_at)),
		...optional("expiresAt", readTime(body.expires_at)),
		wantsDeliveryEvents: body.events === "deliveries",
		overLimit: "refuse" as const,
	};
}

function readMetadata(metadata: Body["metadata"] = {}): Metadata {
	const { subject, provider, push_title: pushTitle, ...labels } = metadata;
	if (Object.keys(labels).length > labelsMax)
		throw chassisFailures.invalid_input({
			message: `metadata has too many labels: at most ${labelsMax}.`,
			fields: { field: "metadata", in: "body" },
		});
	return {
		...optional("subject", subject),
		...optional("provider", provider),
		...optional("pushTitle", pushTitle),
		labels: labels as Record<string, string>,
	};
}

const readTime = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

/** A member, or none if the value is undefined. */
function optional<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
	return value === undefined ? {} : ({ [name]: value } as { [key in K]: V });
}
