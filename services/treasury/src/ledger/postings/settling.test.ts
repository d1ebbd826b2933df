import { expect, test } from "vitest";
import type { Posting } from "./posting.ts";
import * as postings from "./settling.ts";

/** A charge of a thousand shillings, of which the gateway keeps 35 (the example of the design). */
const net = { amountMinor: 96_500n, currency: "KES" };
const gross = { amountMinor: 100_000n, currency: "KES" };

const shown = ({ purpose, lines }: Posting) => [
	purpose,
	...lines.map(
		({ side, account: { owner, code }, amountMinor }) => `${side} ${owner} ${code} ${amountMinor}`,
	),
];

test.each([
	{
		title: "a settlement to the bank account moves what arrives out of what is unsettled",
		posting: postings.settle({ ...net, to: "bank" }),
		lines: ["settlement", "debit platform bank 96500", "credit platform card.unsettled 96500"],
	},
	{
		title: "a settlement to the transfer balance stays at the gateway",
		posting: postings.settle({ ...net, to: "balance" }),
		lines: ["settlement", "debit platform card.balance 96500", "credit platform card.unsettled 96500"],
	},
	{
		title: "a release makes the gross amount available",
		posting: postings.release(gross),
		lines: ["release", "debit tenant tenant.pending 100000", "credit tenant tenant.available 100000"],
	},
	{
		title: "a top-up moves money from the bank account to the transfer balance",
		posting: postings.topUp(net),
		lines: ["top_up", "debit platform card.balance 96500", "credit platform bank 96500"],
	},
	{
		title: "a withdrawal moves it back",
		posting: postings.withdraw(net),
		lines: ["withdrawal", "debit platform bank 96500", "credit platform card.balance 96500"],
	},
	{
		title: "a variance is an expense if the gateway paid too little",
		posting: postings.varyUnsettled({ amountMinor: 5n, currency: "KES" }),
		lines: ["variance", "debit platform recon_variance 5", "credit platform card.unsettled 5"],
	},
	{
		title: "a variance lowers the expense if the gateway paid too much",
		posting: postings.varyUnsettled({ amountMinor: -5n, currency: "KES" }),
		lines: ["variance", "credit platform recon_variance 5", "debit platform card.unsettled 5"],
	},
	{
		title: "a fee that the gateway kept of charges without stating it is an expense of all channels",
		posting: postings.keepFee({ amountMinor: 5n, currency: "KES" }),
		lines: ["fee_trueup", "debit platform gateway_fee.other 5", "credit platform card.unsettled 5"],
	},
	{
		title: "a debt that is written off is a loss of the platform",
		posting: postings.writeOff({ amountMinor: 40_000n, currency: "KES" }),
		lines: ["write_off", "debit platform chargeback_loss 40000", "credit tenant tenant.debt 40000"],
	},
])("$title", ({ posting, lines }) => {
	expect(shown(posting)).toEqual(lines);
});
