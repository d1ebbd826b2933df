import { type AuditEntry, recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { gatewayFailures } from "../gateways/calls/failures.ts";
import { requireAccepted } from "../gateways/calls/require-accepted.ts";
import type { MobileMoney } from "../gateways/mobile-money/account.ts";
import { registerUrls } from "../gateways/mobile-money/over-the-counter.ts";
import { findTenantGateway, recordUrlsRegistered } from "../gateways/shortcodes/tenant-gateway.store.ts";
import {
	expireTokensBefore,
	issueCallbackToken,
	removeCallbackToken,
} from "../inbox/callback-token.store.ts";
import { type CallbackRoute, callbackUrl, idOfShortcode } from "../inbox/callback-token.ts";
import type { Treasury } from "../treasury.ts";
import { counterFailures } from "./failures.ts";

type Registering = { tenantId: string; by: Pick<AuditEntry, "actor" | "requestId" | "address"> };

/**
 * Registers the addresses that the gateway asks before a payment to the tenant's shortcode, and notifies
 * after it, each with a token of its own. Two tokens of a shortcode are valid at a time, so that nothing is
 * lost while the gateway changes over. Throws `urls_registered` in production the second time, and what
 * `requireMobileMoney` and `requireAccepted` throw.
 */
export async function registerShortcodeUrls(domain: Treasury, registering: Registering): Promise<Date> {
	const { db, now, settings, gateways } = domain;
	const { tenantId, by } = registering;
	const account = await gateways.requireMobileMoney(tenantId);
	const { shortcode, profile } = account;
	const tokens = await inTenant(db, tenantId, async (tx) => {
		const found = await findTenantGateway(tx);
		if (found?.shortcode !== shortcode) throw gatewayFailures.channel_unavailable();
		if (profile.environment === "production" && found.urlsRegisteredAt !== undefined)
			throw counterFailures.urls_registered();
		const issue = (route: CallbackRoute) => issueFor(tx, { tenantId, account, route, now: now() });
		return { confirmation: await issue("confirmation"), validation: await issue("validation") };
	});
	const urlOf = (route: "confirmation" | "validation") =>
		callbackUrl(settings.publicBaseUrl, { route, profileId: profile.id, token: tokens[route] });
	const answer = await registerUrls(account, {
		confirmationUrl: urlOf("confirmation"),
		validationUrl: urlOf("validation"),
	});
	const at = now();
	await inTenant(db, tenantId, async (tx) => {
		// The gateway has other addresses: a token that it was not given is not kept beside theirs.
		if (answer.is === "refused")
			for (const token of Object.values(tokens)) await removeCallbackToken(tx, token);
		if (answer.is !== "accepted") return;
		await recordUrlsRegistered(tx, shortcode, at);
		await expireTokensBefore(tx, { shortcode, at });
		await recordAudit(tx, {
			...{ tenantId, at, ...by, detail: {} },
			...{ action: "shortcode.urls_registered", subject: shortcode },
		});
	});
	requireAccepted(answer);
	return at;
}

const issueFor = (
	tx: Database,
	{
		tenantId,
		account,
		route,
		now,
	}: { tenantId: string; account: MobileMoney; route: CallbackRoute; now: Date },
): Promise<string> =>
	issueCallbackToken(
		tx,
		{
			...{ tenantId, profileId: account.profile.id, route, objectKind: "shortcode" },
			...{ objectId: idOfShortcode(account.shortcode), expiresAt: undefined },
		},
		now,
	);
