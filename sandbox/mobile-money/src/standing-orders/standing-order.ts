/** How often an order pays, in days or months. */
type Step = { days: number } | { months: number } | undefined;

/** What the numbers of `Frequency` mean. The published reference differs from our specification. */
export const frequencies: Readonly<Record<"specified" | "published", Readonly<Record<string, Step>>>> = {
	specified: {
		1: { days: 1 },
		2: { days: 7 },
		3: { months: 1 },
		4: { months: 3 },
		5: { months: 6 },
		6: { months: 12 },
	},
	published: {
		1: undefined, // Once.
		2: { days: 1 },
		3: { days: 7 },
		4: { months: 1 },
		5: { months: 2 },
		6: { months: 3 },
		7: { months: 6 },
		8: { months: 12 },
	},
};

/** A payer's consent that a shortcode collects an amount again and again. */
export type StandingOrder = {
	/** The id of the prompt that asked for it. */
	id: string;
	ordinal: number;
	name: string;
	shortcode: string;
	phone: string;
	amountMinor: number;
	reference: string;
	frequency: string;
	/** `YYYYMMDD`, both included. */
	startDate: string;
	endDate: string;
	/** Of the next execution, from 0. */
	next: number;
};

const hourOfExecution = 6;
const nairobiHours = 3;
const dayMs = 86_400_000;

/**
 * When the n-th execution, from 0, is due: at six in the morning in Nairobi. Undefined after the last one.
 */
export function dueAt(order: StandingOrder, n: number, words: "specified" | "published"): Date | undefined {
	const [year, month, day] = [0, 4, 6].map((from, index) =>
		Number(order.startDate.slice(from, from + (index === 0 ? 4 : 2))),
	) as [number, number, number];
	const step = frequencies[words][order.frequency];
	if (step === undefined && n > 0) return undefined;
	const date =
		step !== undefined && "months" in step
			? addMonths({ year, month, day }, n * step.months)
			: new Date(Date.UTC(year, month - 1, day) + n * (step?.days ?? 0) * dayMs);
	if (date.toISOString().slice(0, 10).replaceAll("-", "") > order.endDate) return undefined;
	return new Date(date.getTime() + (hourOfExecution - nairobiHours) * 3_600_000);
}

/** The same day of a later month, or that month's last day. */
function addMonths({ year, month, day }: { year: number; month: number; day: number }, months: number): Date {
	const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
	return new Date(Date.UTC(year, month - 1 + months, Math.min(day, lastDay)));
}

/** Whether it is the date of a day, `YYYYMMDD`. */
export const isDate = (text: string): boolean => {
	const iso = text.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3");
	return /^\d{8}$/.test(text) && !Number.isNaN(Date.parse(iso));
};
