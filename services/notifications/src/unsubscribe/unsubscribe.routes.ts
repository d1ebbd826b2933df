import { open, type Route, route } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import type { FastifyReply } from "fastify";
import Type from "typebox";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { recordSuppression } from "../suppressions/suppression.store.ts";
import { findMasked, findSender, findTenantOfLink } from "./unsubscribe.store.ts";
import { readUnsubscribeToken, type UnsubscribeSubject } from "./unsubscribe-link.ts";
import { pagePolicy, unsubscribePage } from "./unsubscribe-page.ts";

const tags = ["unsubscribe"];
const access = open("RFC 8058: the signed link is the proof, and recipients need no account");
const querystring = Type.Object(
	{ t: Type.String({ maxLength: 600, description: "The signed value of the link" }) },
	{ additionalProperties: true },
);
const bodyBytesMax = 8 * 1024;

/** The routes of links to unsubscribe (RFC 8058). */
export const unsubscribeRoutes = (domain: Notifications): readonly Route[] => [asking(domain), doing(domain)];

const asking = (domain: Notifications): Route =>
	route({
		method: "GET",
		url: "/public/unsubscribe",
		access,
		schema: {
			summary: "Shows the page to unsubscribe, and changes nothing",
			tags,
			querystring,
			response: { 200: Type.String() },
		},
		handler: async (request, reply) => {
			const { subject, tenantName } = await readLink(domain, request.query.t);
			return show(reply, unsubscribePage({ ...subject, tenantName, isDone: false }));
		},
	});

const doing = (domain: Notifications): Route =>
	route({
		method: "POST",
		url: "/public/unsubscribe",
		access,
		bytes: "any",
		bodyLimit: bodyBytesMax,
		schema: {
			summary: "Unsubscribes an address from a category, however often it is called",
			description:
				"Mail programs send List-Unsubscribe=One-Click as a form of either kind, without a cookie; the page's button sends the same.",
			tags,
			querystring,
			response: { 200: Type.String() },
		},
		handler: async (request, reply) => {
			const { subject, tenantName } = await readLink(domain, request.query.t, unsubscribe(domain));
			return show(reply, unsubscribePage({ ...subject, tenantName, isDone: true }));
		},
	});

const unsubscribe =
	({ now }: Notifications) =>
	async (tx: Database, { tenantId, category, keyId, addressKey }: UnsubscribeSubject): Promise<void> => {
		await recordSuppression(tx, {
			...{ tenantId, channel: "email", category, keyId, key: addressKey, reason: "unsubscribe" },
			...{ masked: await findMasked(tx, { tenantId, addressKey }), createdBy: undefined, now: now() },
		});
	};

/** Reads a link, and does `work` in its tenant. Throws `link_invalid`. */
async function readLink(
	{ db, vault }: Notifications,
	token: string,
	work?: (tx: Database, subject: UnsubscribeSubject) => Promise<void>,
): Promise<{ subject: UnsubscribeSubject; tenantName: string }> {
	const subject = readUnsubscribeToken(vault, token);
	const invalid = () => failures.link_invalid({ fields: { field: "t", in: "query" } });
	const tenantId = subject && (await findTenantOfLink(db, subject));
	if (subject === undefined || tenantId === undefined) throw invalid();
	return inTenant(db, tenantId, async (tx) => {
		const tenantName = await findSender(tx, tenantId);
		if (tenantName === undefined) throw invalid();
		await work?.(tx, { ...subject, tenantId });
		return { subject, tenantName };
	});
}

const show = (reply: FastifyReply, html: string) =>
	reply
		.type("text/html; charset=utf-8")
		.headers({
			"content-security-policy": pagePolicy,
			"cache-control": "no-store",
			"referrer-policy": "no-referrer",
		})
		.send(html);
