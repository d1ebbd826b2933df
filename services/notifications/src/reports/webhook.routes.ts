import { createHash } from "node:crypto";
import { open, type Route, route } from "@lango/chassis";
import { Uuid } from "@lango/contracts";
import { equalSecrets, hashSecret } from "@lango/tokens";
import Type from "typebox";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { type RawWebhook, type Report, WebhookRefused } from "../provider.ts";
import type { WebhookAccount } from "../providers/webhook-accounts.ts";
import { storeReports } from "./report.store.ts";

const Path = Type.Object({ provider_id: Uuid });
const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const bodyBytesMax = 256 * 1024;
const dayMs = 24 * 3_600_000;

const access = open("providers call it; the token of its address and their signature prove who they are");

/** The webhooks of providers: what happened to messages after they were accepted. */
export const webhookRoutes = (domain: Notifications): readonly Route[] => [
	receiving(domain),
	confirming(domain),
];

const receiving = (domain: Notifications): Route =>
	route({
		method: "POST",
		url: "/webhooks/:provider_id",
		access,
		bytes: "any",
		bodyLimit: bodyBytesMax,
		addressLimit: { exempt: "a provider sends the reports of all tenants from few addresses" },
		schema: {
			summary: "Receives reports of a provider",
			description:
				"The body is verified as the provider signs it, over its bytes. The reports are stored before the answer, and applied soon after. A report that came before, or is older than a day, changes nothing.",
			tags: ["webhooks"],
			params: Path,
			querystring: Type.Object({ token: text(200) }, { additionalProperties: true }),
			response: { 200: Type.Object({ stored: Type.Integer() }) },
		},
		handler: async (request) => {
			const { provider_id: providerId } = request.params;
			const found = await requireAccount(domain, providerId, request.query.token);
			const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
			const { originalUrl, headers } = request;
			const url = `${domain.settings.publicUrl}${originalUrl}`;
			const query = request.query as Record<string, string>;
			const reports = readReports(found, { url, query, headers, body });
			const now = domain.now();
			const recent = reports.filter(({ at }) => at === undefined || now.getTime() - at.getTime() <= dayMs);
			if (recent.length === 0) return { stored: 0 };
			const stored = await storeReports(domain.db, {
				...{ providerId, now },
				reports: recent.map((report) => ({
					eventKey: createHash("sha256").update(report.eventKey).digest(),
					report: domain.vault.sealData(report),
				})),
			});
			if (stored > 0) domain.reports.wake();
			return { stored };
		},
	});

/** developers.facebook.com, "Create a webhook endpoint": the vendor asks whether the address is ours. */
const confirming = (domain: Notifications): Route =>
	route({
		method: "GET",
		url: "/webhooks/:provider_id",
		access,
		addressLimit: { exempt: "providers share addresses with other callers" },
		schema: {
			summary: "Confirms the address of a webhook (WhatsApp)",
			tags: ["webhooks"],
			params: Path,
			querystring: Type.Object({
				token: text(200),
				"hub.mode": Type.Optional(Type.Literal("subscribe")),
				"hub.verify_token": text(200),
				"hub.challenge": Type.String({
					pattern: "^[A-Za-z0-9_-]{1,200}$",
					"x-error": "must be letters and digits",
				}),
			}),
			response: { 200: Type.String() },
		},
		handler: async (request, reply) => {
			const { token, "hub.verify_token": verifyToken = token, "hub.challenge": challenge } = request.query;
			await requireAccount(domain, request.params.provider_id, verifyToken);
			return reply.type("text/plain; charset=utf-8").send(challenge);
		},
	});

/**
 * Throws `webhook_unknown` without such a provider, and `webhook_refused` if the token is missing or wrong.
 */
async function requireAccount(
	{ webhooks }: Notifications,
	providerId: string,
	token: string | undefined,
): Promise<WebhookAccount> {
	const found = await webhooks.find(providerId);
	if (found === undefined) throw failures.webhook_unknown();
	const { tokenHash } = found;
	if (token === undefined || tokenHash === undefined || !equalSecrets(hashSecret(token), tokenHash))
		throw failures.webhook_refused();
	return found;
}

function readReports({ adapter, account }: WebhookAccount, webhook: RawWebhook): readonly Report[] {
	if (adapter.readReports === undefined) throw failures.webhook_unknown();
	try {
		return adapter.readReports(account, webhook);
	} catch (error) {
		if (error instanceof WebhookRefused) throw failures.webhook_refused({ cause: error });
		throw error;
	}
}
