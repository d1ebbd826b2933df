import { type CardRefund, listRefunds } from "../gateways/card-gateway/refunds.ts";
import type { Gateways } from "../gateways/open-gateways.ts";

type Parts = Pick<Gateways, "findCardGateway">;

/** Whether the card gateway is configured and can list refunds. */
export async function canListRefunds(gateways: Parts): Promise<boolean> {
	const gateway = await gateways.findCardGateway();
	return gateway?.profile.settings.capabilities.list_refunds === true;
}

/** A charge as the card gateway knows it. */
type Charge = { transaction: string; currency: string };

const perPage = 100;
const pagesMax = 50;

/**
 * Asks the card gateway for the refunds of a transaction. Refunds of others, and in another currency, are
 * left out. Returns undefined if it cannot list them, did not answer, or one of them cannot be read.
 */
export async function askForRefunds(
	gateways: Parts,
	{ transaction, currency }: Charge,
): Promise<readonly CardRefund[] | undefined> {
	const gateway = await gateways.findCardGateway();
	if (gateway?.profile.settings.capabilities.list_refunds !== true) return undefined;
	const found: CardRefund[] = [];
	for (let page = 1; page <= pagesMax; page += 1) {
		const answer = await listRefunds(gateway, { transaction, page, perPage });
		if (answer.is !== "accepted" || answer.ids.unreadable > 0) return undefined;
		const { refunds } = answer.ids;
		if (refunds.some(({ transactionId }) => transactionId === undefined)) return undefined;
		found.push(...refunds.filter((one) => isOf(one, { transaction, currency })));
		if (refunds.length < perPage) return found;
	}
	return undefined;
}

/** An entry without a currency has that of its charge. */
const isOf = (one: CardRefund, { transaction, currency }: Charge): boolean =>
	one.transactionId === transaction && (one.currency ?? currency) === currency;
