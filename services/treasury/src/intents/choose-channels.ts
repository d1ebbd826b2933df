import { gatewayFailures } from "../gateways/calls/failures.ts";
import { mobileMoneyCurrency } from "../money/amount.ts";
import type { IntentChannel } from "../payments/intent.ts";
import { refusalOfPush } from "../prompts/push-amount.ts";
import type { Treasury } from "../treasury.ts";

type Wanted = {
	tenantId: string;
	amountMinor: bigint;
	currency: string;
	/** Undefined: every channel that can take the amount. */
	channels: readonly IntentChannel[] | undefined;
};

/** What the payer chooses from on the page of the card gateway. */
const onThePage: readonly IntentChannel[] = ["card", "bank_transfer", "mobile_money", "ussd"];

/**
 * Returns the channels of a new intent of a tenant. Throws `channel_unavailable` if one that is wanted is
 * not set up, or none is, and `amount_not_whole` or `amount_out_of_range` if a prompt is wanted, or is the
 * only channel, and cannot ask for the amount.
 */
export async function chooseChannels(
	{ gateways }: Pick<Treasury, "gateways">,
	{ tenantId, amountMinor, currency, channels: wanted }: Wanted,
): Promise<readonly IntentChannel[]> {
	const shortcode = currency === mobileMoneyCurrency ? await gateways.findMobileMoney(tenantId) : undefined;
	const page = await gateways.findCardGateway();
	const available = [
		...(shortcode?.isActive ? (["push"] as const) : []),
		...(page === undefined ? [] : onThePage),
	];
	const channels = wanted ?? available;
	if (channels.length === 0 || !channels.every((channel) => available.includes(channel)))
		throw gatewayFailures.channel_unavailable();
	if (shortcode === undefined || !channels.includes("push")) return channels;
	const refusal = refusalOfPush(amountMinor, shortcode.profile.settings);
	if (refusal === undefined) return channels;
	const others = channels.filter((channel) => channel !== "push");
	if (wanted !== undefined || others.length === 0) throw refusal;
	return others;
}
