import { Refusal } from "../answers/refusal.ts";
import { after, type Gateway, hourMs } from "../gateway.ts";
import { balanceOf, move } from "../ledger/move.ts";
import { codeOf } from "../records/codes.ts";
import type { Recipient, Transfer, TransferStatus } from "../records/tables.ts";
import { toEnded } from "./to-transfer.ts";

export type NewTransfer = {
	amount: number;
	/** The code of the recipient. */
	recipient: string;
	reason?: string | undefined;
	currency: string;
	reference?: string | undefined;
};

const otpMs = hourMs / 2;

/** Starts a transfer from the balance. With one-time passwords on it waits for one. */
export function startTransfer(gateway: Gateway, asked: NewTransfer): Transfer {
	const recipient = requireRecipient(gateway, asked);
	if (asked.reference !== undefined) requireNewReference(gateway, asked.reference);
	requireFloat(gateway, asked, "transfer");
	const needsOtp =
		gateway.switches.isOtpRequired || gateway.takeFault("transfer", "otp_required") !== undefined;
	const transfer = addTransfer(gateway, asked, recipient);
	return needsOtp ? askOtp(gateway, transfer) : queueTransfer(gateway, transfer);
}

/**
 * Starts all of the transfers, or none. The fault `partial_bulk` leaves the second half out without a word.
 */
export function startTransfers(gateway: Gateway, all: readonly NewTransfer[]): Transfer[] {
	if (gateway.switches.isOtpRequired)
		throw new Refusal({
			message: "Bulk transfers need one-time passwords to be off",
			code: "otp_enabled",
			nextStep: "Turn one-time passwords off, or start the transfers one by one",
		});
	const recipients = all.map((asked) => requireRecipient(gateway, asked));
	const references = all.flatMap(({ reference }) => reference ?? []);
	requireBulkReferences(gateway, references);
	const total = all.reduce((sum, { amount }) => sum + amount + gateway.settings.transferFee, 0);
	const [{ currency } = { currency: "KES" }] = all;
	requireFloat(gateway, { amount: total - gateway.settings.transferFee, currency }, "bulk_transfer");
	const isPartial = gateway.takeFault("bulk_transfer", "partial_bulk") !== undefined;
	const kept = isPartial ? Math.ceil(all.length / 2) : all.length;
	return all
		.slice(0, kept)
		.map((asked, index) => queueTransfer(gateway, addTransfer(gateway, asked, recipients[index])));
}

function requireRecipient({ store }: Gateway, { recipient, currency }: NewTransfer): Recipient {
	const found = store.find("recipients", "code", recipient);
	if (found?.currency === currency) return found;
	throw new Refusal({
		message: "Recipient specified is invalid",
		code: "invalid_transfer_recipient",
		nextStep:
			"Provide a valid recipient. Ensure you are passing the recipient code in the recipient param, and its currency",
	});
}

const known = ({ store }: Gateway, reference: string) =>
	store.find("transfers", "reference", reference) !== undefined;

function requireWellFormed(reference: string): void {
	if (/^[\w-]{1,100}$/.test(reference)) return;
	throw new Refusal({
		message: "Reference is invalid",
		code: "invalid_transfer_reference",
		nextStep: "Use letters, digits, - and _ only",
	});
}

function requireNewReference(gateway: Gateway, reference: string): void {
	requireWellFormed(reference);
	if (!known(gateway, reference)) return;
	throw new Refusal({
		message: "Please provide a unique reference. Reference already exists on a transfer",
		code: "duplicate_transfer_reference",
		nextStep: "Provide a unique reference",
	});
}

/** As the real gateway words it: other than for a single transfer. */
function requireBulkReferences(gateway: Gateway, references: readonly string[]): void {
	for (const reference of references) requireWellFormed(reference);
	const twice = references.filter(
		(reference, index) => known(gateway, reference) || references.indexOf(reference) !== index,
	);
	if (twice.length === 0) return;
	throw new Refusal({
		status: 404,
		message: `Duplicate reference(s) found: ${twice.join(",")}`,
		type: "api_error",
		code: "unknown",
		nextStep: "Try again later",
	});
}

function requireFloat(
	gateway: Gateway,
	{ amount, currency }: { amount: number; currency: string },
	operation: "transfer" | "bulk_transfer",
): void {
	const isEnough = balanceOf(gateway, "balance", currency) >= amount + gateway.settings.transferFee;
	if (isEnough && gateway.takeFault(operation, "insufficient_float") === undefined) return;
	throw insufficient();
}

const insufficient = () =>
	new Refusal({
		message: "Your balance is not enough to fulfil this request",
		code: "insufficient_balance",
		nextStep: "Top up your balance and try again",
	});

function addTransfer(gateway: Gateway, asked: NewTransfer, recipient: Recipient | undefined): Transfer {
	const { store, ids, now, settings } = gateway;
	const at = now().toISOString();
	return store.add("transfers", (ordinal) => ({
		ordinal,
		id: 860_703_000 + ordinal,
		code: `TRF_${codeOf(ids, { purpose: "transfer", ordinal, length: 16 })}`,
		reference: asked.reference ?? codeOf(ids, { purpose: "transfer reference", ordinal, length: 10 }),
		amount: asked.amount,
		currency: asked.currency,
		reason: asked.reason ?? "",
		recipientId: recipient?.id ?? 0,
		status: "pending",
		fee: settings.transferFee,
		...{ otp: null, otpExpiresAt: null, otpCount: 0, createdAt: at, updatedAt: at },
	}));
}

/** Gives a transfer a new one-time password. */
function askOtp({ store, ids, now }: Gateway, transfer: Transfer): Transfer {
	const otpCount = transfer.otpCount + 1;
	const number = Math.floor(ids.chance(transfer.ordinal, `otp ${otpCount}`) * 1_000_000);
	return store.change("transfers", transfer, {
		...{ status: "otp", otp: String(number).padStart(6, "0"), otpCount },
		otpExpiresAt: after(now(), otpMs).toISOString(),
	});
}

/** Takes the money from the balance, and plans the outcome. */
function queueTransfer(gateway: Gateway, transfer: Transfer): Transfer {
	const { store, settings, now } = gateway;
	const { reference: subject, amount, fee, currency } = transfer;
	const of = { currency, kind: "transfer", subject } as const;
	move(gateway, { ...of, account: "balance", amount: -amount - fee });
	move(gateway, { ...of, account: "fees", amount: fee });
	gateway.plan("conclude_transfer", subject, after(now(), settings.outcomeAfterMs));
	return store.change("transfers", transfer, { status: "pending", updatedAt: now().toISOString() });
}

/** Continues a transfer that waits for its one-time password. */
export function finalizeTransfer(gateway: Gateway, code: string, otp: string): Transfer {
	const transfer = requireWaiting(gateway, code);
	if ((transfer.otpExpiresAt ?? "") < gateway.now().toISOString())
		throw new Refusal({ message: "OTP has expired", code: "otp_expired", nextStep: "Ask for a new OTP" });
	if (transfer.otp !== otp)
		throw new Refusal({ message: "OTP is incorrect", code: "otp_invalid", nextStep: "Check the OTP" });
	if (balanceOf(gateway, "balance", transfer.currency) < transfer.amount + transfer.fee) throw insufficient();
	return queueTransfer(gateway, transfer);
}

/** Gives a transfer that waits a new one-time password; the one before is no longer taken. */
export const resendOtp = (gateway: Gateway, code: string): Transfer =>
	askOtp(gateway, requireWaiting(gateway, code));

function requireWaiting({ store }: Gateway, code: string): Transfer {
	const transfer = store.find("transfers", "code", code);
	if (transfer?.status === "otp") return transfer;
	throw new Refusal({
		message: transfer ? "Transfer is not currently awaiting OTP" : "Transfer code is invalid",
		code: transfer ? "transfer_not_awaiting_otp" : "invalid_transfer_code",
		nextStep: "Provide the code of a transfer that waits for its OTP",
	});
}

/** What a transfer can end as. */
export type TransferOutcome = Extract<TransferStatus, "success" | "failed" | "reversed">;

/** Accounts whose transfers end otherwise, by their last four digits; `pending` for ever. */
const outcomes: Readonly<Record<string, TransferOutcome | "pending">> = {
	"0002": "failed",
	"0003": "reversed",
	"0004": "pending",
};

/** Sets the default outcome of a transfer. A transfer to …0003 succeeds first, and is reversed afterwards. */
export function concludeTransfer(gateway: Gateway, reference: string): void {
	const { store, now, settings } = gateway;
	const transfer = store.get("transfers", "reference", reference);
	const { accountNumber } = store.get("recipients", "id", transfer.recipientId);
	const outcome = outcomes[accountNumber.slice(-4)] ?? "success";
	if (outcome === "pending") return;
	if (outcome !== "reversed" || transfer.status === "success")
		return void endTransfer(gateway, transfer, outcome);
	endTransfer(gateway, transfer, "success");
	gateway.plan("conclude_transfer", reference, after(now(), settings.outcomeAfterMs));
}

/** The outcomes that can follow a state. */
const followers: Readonly<Record<TransferStatus, readonly TransferOutcome[]>> = {
	otp: [],
	pending: ["success", "failed", "reversed"],
	success: ["reversed"],
	failed: ["reversed"],
	reversed: [],
};

/** Ends a transfer and publishes its outcome. An outcome that cannot follow changes nothing. */
export function endTransfer(gateway: Gateway, transfer: Transfer, outcome: TransferOutcome): Transfer {
	const { store, now } = gateway;
	if (!followers[transfer.status].includes(outcome)) return transfer;
	returnMoney(gateway, transfer, outcome);
	const ended = store.change("transfers", transfer, { status: outcome, updatedAt: now().toISOString() });
	gateway.publish(`transfer.${outcome}`, toEnded(gateway, ended));
	return ended;
}

/** A failed transfer costs nothing; of a reversed one the fee stays. */
function returnMoney(gateway: Gateway, transfer: Transfer, outcome: TransferOutcome): void {
	if (outcome === "success" || transfer.status === "failed") return;
	const { reference: subject, amount, fee, currency } = transfer;
	const returned = outcome === "failed" ? fee : 0;
	const of = { currency, kind: "transfer_returned", subject } as const;
	move(gateway, { ...of, account: "balance", amount: amount + returned });
	move(gateway, { ...of, account: "fees", amount: -returned });
}
