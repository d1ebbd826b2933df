import { accountOf, balanceOf, moveMoney } from "../ledger/movement.ts";
import type { Sandbox } from "../sandbox.ts";

/** What a phone does with a prompt by itself. `none`: a person decides. */
type PhoneBehaviour = "accept" | "cancel" | "silent" | "wrong_pin" | "no_balance" | "none";

/** A subscriber. */
export type Phone = {
	/** As in 254712345678. */
	msisdn: string;
	firstName: string;
	lastName: string;
	/** False: payouts to this phone fail. */
	isRegistered: boolean;
	/** The prompt that it shows now; it shows one at a time. */
	openPromptId: string | null;
};

export const msisdnPattern = /^254[17]\d{8}$/;

/** Phones that act by themselves, by their last three digits. */
const behaviourByEnding: Readonly<Record<string, PhoneBehaviour>> = {
	"001": "accept",
	"032": "cancel",
	"037": "silent",
	"201": "wrong_pin",
	"100": "no_balance",
};

/** What the phone does by itself. */
export const behaviourOf = (msisdn: string): PhoneBehaviour => behaviourByEnding[msisdn.slice(-3)] ?? "none";

const openingMinor = 10_000_000;
const firstNames = [
	"Amina",
	"Brian",
	"Cherop",
	"Dedan",
	"Esther",
	"Farah",
	"Grace",
	"Hassan",
	"Imani",
	"Juma",
];
const lastNames = [
	"Achieng",
	"Barasa",
	"Chebet",
	"Duale",
	"Etyang",
	"Gathoni",
	"Hamisi",
	"Kamau",
	"Mutua",
	"Otieno",
];

/**
 * The phone. The first time it is asked for it is made, with KES 100,000; one that ends in 100 has nothing.
 */
export function phoneOf(sandbox: Sandbox, msisdn: string): Phone {
	const { phones } = sandbox.tables;
	const found = phones.get(msisdn);
	if (found !== undefined) return found;
	const made = phones.put(msisdn, {
		msisdn,
		firstName: firstNames[Number(msisdn.at(-2))] ?? "Amina",
		lastName: lastNames[Number(msisdn.at(-1))] ?? "Kamau",
		isRegistered: true,
		openPromptId: null,
	});
	if (behaviourOf(msisdn) !== "no_balance") setPhoneBalance(sandbox, { msisdn, minor: openingMinor });
	return made;
}

/** Brings the phone to this balance, by a movement from or to outside. */
export function setPhoneBalance(
	sandbox: Sandbox,
	{ msisdn, minor }: { msisdn: string; minor: number },
): void {
	const account = accountOf.phone(msisdn);
	const missing = minor - balanceOf(sandbox, account);
	if (missing === 0) return;
	const [from, to] = missing > 0 ? [accountOf.outside, account] : [account, accountOf.outside];
	moveMoney(sandbox, {
		...{ ordinal: sandbox.rows.nextOrdinal(), at: sandbox.clock.now(), kind: "deposit", from, to },
		...{ amountMinor: Math.abs(missing), phone: msisdn },
	});
}

/** A phone that differs in its last digit. */
export const otherPhone = (msisdn: string): string =>
	`${msisdn.slice(0, -1)}${(Number(msisdn.at(-1)) + 1) % 10}`;
