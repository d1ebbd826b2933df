/** The shortcode whose statements are imported. */
export const shortcode = "600900";
export const currency = "KES";
const dayMs = 86_400_000;

/** Of every statement so many payments are planted otherwise than they should be. */
export const planted = { amount: 3, missing_here: 2, missing_there: 2 } as const;
export const plantedEach = planted.amount + planted.missing_here + planted.missing_there;

/** The class of a difference. `missing_there`: the treasury has a receipt, and the statement no line. */
export type Difference = keyof typeof planted;

/** The numbers of a statement: the nth payment of all is the first of it. */
export type Statement = { first: number; lines: number; startsAt: number };

/** A payment has a line, a receipt, or both, by its ordinal among all payments. */
export type Payment = {
	number: string;
	/** What the gateway states, in cents; undefined: its statement does not have it. */
	theirs: bigint | undefined;
	/** What the treasury has, in cents; undefined: it has no receipt. */
	ours: bigint | undefined;
	at: Date;
	difference: Difference | undefined;
};

/** So many payments a statement of so many lines is about: some of them it does not have. */
export const paymentsOf = (lines: number): number => lines + planted.missing_there;

const stepOf = (payments: number) => Math.floor(payments / (plantedEach + 1));

/** The payments that differ are at equal distances in a statement. */
function differenceAt(position: number, payments: number): Difference | undefined {
	const nth = position / stepOf(payments);
	if (position === 0 || !Number.isInteger(nth) || nth > plantedEach) return undefined;
	if (nth <= planted.amount) return "amount";
	return nth <= planted.amount + planted.missing_here ? "missing_here" : "missing_there";
}

/** The positions of the payments of a kind in a statement. */
export function positionsOf(lines: number, kind: Difference): number[] {
	const payments = paymentsOf(lines);
	const all = Array.from({ length: payments }, (_, position) => position);
	return all.filter((position) => differenceAt(position, payments) === kind);
}

/** The amount of the nth payment in cents, as the treasury has it: 1.00 to 70,000.99. */
export const amountOf = (n: number): bigint => 100n + BigInt((n * 7_919) % 7_000_000);
/** The number that the gateway gave the nth payment. */
export const numberOf = (n: number): string => `RB${n.toString(36).toUpperCase().padStart(8, "0")}`;

const changes = [1n, -1n, 10_000n];

/** The payment at a position of a statement. Amounts that differ do so by a cent, or by 100.00. */
export function paymentAt({ first, lines, startsAt }: Statement, position: number): Payment {
	const payments = paymentsOf(lines);
	const n = first + position;
	const difference = differenceAt(position, payments);
	const amount = amountOf(n);
	const change = difference === "amount" ? (changes[position / stepOf(payments) - 1] ?? 1n) : 0n;
	return {
		number: numberOf(n),
		theirs: difference === "missing_there" ? undefined : amount + change,
		ours: difference === "missing_here" ? undefined : amount,
		at: new Date(startsAt + Math.floor((position * dayMs) / payments)),
		difference,
	};
}

const head = "date,amount,reference,description,account,payer\n";

/** A statement as the gateway writes it, about 80 bytes a line. */
export function fileOf(statement: Statement): Buffer {
	const lines: string[] = [];
	for (let position = 0; position < paymentsOf(statement.lines); position += 1) {
		const { number, theirs, at } = paymentAt(statement, position);
		if (theirs === undefined) continue;
		const ends = String(position % 1_000).padStart(3, "0");
		lines.push(
			`${at.toISOString()},${textOf(theirs)},${number},Pay bill,Rent ${position % 97},2547***${ends}`,
		);
	}
	return Buffer.from(`${head}${lines.join("\n")}\n`);
}

/**
 * A statement of what the owner of the shortcode spent today, which is compared with nothing: the statements
 * cover the time until now.
 */
export const spentToday = (now: Date): Buffer =>
	Buffer.from(`${head}${now.toISOString()},-1.00,SPENT${now.getTime()},Charge,,\n`);

const textOf = (minor: bigint): string => `${minor / 100n}.${String(minor % 100n).padStart(2, "0")}`;

/**
 * The exceptions that the differences of a statement are to raise, each in one text with its cents. A line of
 * another amount raises two: its receipt waits for a line as well.
 */
export function expectedOf(statement: Statement): string[] {
	return Array.from({ length: paymentsOf(statement.lines) }, (_, position) =>
		paymentAt(statement, position),
	).flatMap(({ number, theirs, ours, difference }) => {
		if (difference === undefined) return [];
		const [there, here] = [theirs?.toString(), ours?.toString()];
		const line = { class: difference, subject: `statement ${shortcode} ${number}`, amount: there ?? "" };
		const receipt = { class: "late", subject: `statement line of receipt ${number}`, amount: here ?? "" };
		return [
			...(there === undefined ? [] : [textOfException({ ...line, ours: here, theirs: there })]),
			...(here === undefined ? [] : [textOfException({ ...receipt, ours: here, theirs: undefined })]),
		];
	});
}

type Exception = {
	class: string;
	subject: string;
	amount: string;
	ours: string | null | undefined;
	theirs: string | null | undefined;
};

export const textOfException = ({ class: of, subject, amount, ours, theirs }: Exception): string =>
	`${of}: ${subject}, ${amount} (here ${ours ?? "nothing"}, there ${theirs ?? "nothing"})`;
