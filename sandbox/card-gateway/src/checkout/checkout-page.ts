import { type Html, html, printAmount } from "../answers/html.ts";
import type { Channel } from "../fees/fee.ts";
import { type Gateway, merchantName } from "../gateway.ts";
import type { Transaction, TransactionStatus } from "../records/tables.ts";
import { channelNames, returnAddress } from "./pay-checkout.ts";

/** The page at which a payer pays, or sees that it is paid. */
export function checkoutPage({ store }: Gateway, transaction: Transaction): Html {
	const { email } = store.get("customers", "id", transaction.customerId);
	const isPaid = transaction.status === "success" || transaction.status === "reversed";
	return html`
<p class="note">Sandbox: no money moves.</p>
<p class="merchant">${merchantName}</p>
<h1>${printAmount(transaction.requestedAmount, transaction.currency)}</h1>
<p class="soft">${email} · ${transaction.reference}</p>
${statusLine(transaction)}
${isPaid ? "" : form(transaction)}
${returnLink(transaction)}`;
}

type Word = { text: (transaction: Transaction) => string; tone: "good" | "bad" | "soft" };

const words: Partial<Record<TransactionStatus, Word>> = {
	success: { text: () => "Paid. Thank you.", tone: "good" },
	reversed: { text: () => "Paid, and paid back.", tone: "soft" },
	failed: { text: (failed) => `Not paid: ${failed.gatewayResponse}. You can try again.`, tone: "bad" },
	pending: { text: () => "Waiting for the payment.", tone: "soft" },
	abandoned: { text: () => "Cancelled. You can still pay.", tone: "soft" },
};

function statusLine(transaction: Transaction): Html {
	const word = words[transaction.status];
	if (word === undefined) return html``;
	return html`<p class="status ${word.tone}" role="status">${word.text(transaction)}</p>`;
}

function returnLink(transaction: Transaction): Html {
	const address = returnAddress(transaction);
	return address === null ? html`` : html`<p><a href="${address}">Return to ${merchantName}</a></p>`;
}

function form(transaction: Transaction): Html {
	const { channels, channel, requestedAmount, currency } = transaction;
	const chosen = channel ?? channels[0];
	return html`<form method="post">
<fieldset class="channels"><legend>Pay by</legend>${channels.map(
		(each) => html`
<label class="channel"><input type="radio" name="channel" value="${each}"${
			each === chosen ? html` checked` : ""
		}> ${channelNames[each]}</label>`,
	)}
</fieldset>
${channels.map((each) => html`<div class="panel" data-channel="${each}">${panels[each](transaction)}</div>`)}
<button class="primary" name="action" value="pay">Pay ${printAmount(requestedAmount, currency)}</button>
<div class="others">
<button class="quiet" name="action" value="decline">Decline</button>
<button class="quiet" name="action" value="wait">Leave pending</button>
<button class="quiet" name="action" value="abandon">Cancel</button>
</div>
</form>`;
}

const panels: Readonly<Record<Channel, (transaction: Transaction) => Html>> = {
	card: () => html`
<label>Card number <input name="card_number" value="4084 0840 8408 4081" inputmode="numeric" autocomplete="off"></label>
<label>Expires (MM/YYYY) <input name="expiry" value="12/2030" inputmode="numeric" autocomplete="off"></label>
<p class="soft">…0002 is declined. …0341 pays once and is declined on later charges of a subscription.</p>`,
	bank_transfer: ({ ordinal }) => html`
<p>Send the exact amount to account <b>${String(9_000_000_000 + ordinal)}</b> at Test Bank, then choose Pay.</p>`,
	mobile_money: ({ mobileMoney }) => html`
<label>Phone <input name="phone" type="tel" value="${mobileMoney?.phone ?? "+254712345001"}" autocomplete="off"></label>
${mobileMoney?.provider ? html`<p>Provider: ${mobileMoney.provider}</p>` : ""}<p class="soft">…032 cancels, …037 stays silent, …201 enters a wrong PIN, …100 has no balance.</p>`,
	ussd: ({ ordinal }) => html`<p>Dial <b>*483*${ordinal}#</b> on your phone, then choose Pay.</p>`,
};
