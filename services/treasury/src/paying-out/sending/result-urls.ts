import type { Database } from "@lango/postgres";
import type { MobileMoney, ResultUrls } from "../../gateways/mobile-money/account.ts";
import { issueCallbackToken } from "../../inbox/callback-token.store.ts";
import { type CallbackRoute, callbackUrl } from "../../inbox/callback-token.ts";
import type { Payout } from "../../payouts/payout.ts";
import type { Treasury } from "../../treasury.ts";

/** A result may come days later. */
const tokenMs = 72 * 3_600_000;

/** Issues the addresses where the gateway sends the result of a payout. Call it inside the tenant. */
export async function issueResultUrls(
	tx: Database,
	{ settings, now }: Treasury,
	{ payout, account }: { payout: Payout; account: MobileMoney },
): Promise<ResultUrls> {
	const { tenantId, id: objectId, kind } = payout;
	const [at, profileId] = [now(), account.profile.id];
	const urlOf = async (route: CallbackRoute) => {
		const expiresAt = new Date(at.getTime() + tokenMs);
		const object = { objectKind: "payout" as const, objectId, expiresAt };
		const token = await issueCallbackToken(tx, { tenantId, profileId, route, ...object }, at);
		return callbackUrl(settings.publicBaseUrl, { route, profileId, token });
	};
	const isBusiness = kind === "business" || kind === "own_working";
	return {
		resultUrl: await urlOf(isBusiness ? "b2b-result" : "b2c-result"),
		timeoutUrl: await urlOf(isBusiness ? "b2b-timeout" : "b2c-timeout"),
	};
}
