import type { SubscriptionQuote } from "@lango/contracts";
import { usePlanName } from "../../../subscription/use-plan-name.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { type ChangeTexts, useChangeTexts } from "./texts.ts";

type Line = SubscriptionQuote["lines"][number];
type PriceLines = {
	lines: readonly Line[];
	dueMinor: number;
	currency: string;
	/** Whether the lines cover only the rest of a period. */
	isPart: boolean;
};

/** The lines of an amount, and the sum that is due now. */
export function PriceLines({ lines, dueMinor, currency, isPart }: PriceLines) {
	const words = useChangeTexts();
	const nameOf = usePlanName();
	const format = useFormat();
	const money = (minor: number) => format.money(minor, currency);
	return (
		<dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-2">
			{lines.map((line) => (
				<div key={line.what + line.code} className="contents">
					<dt className="wrap-anywhere">{nameLine(line, { words: words.line, nameOf, isPart })}</dt>
					<dd className="text-end tabular-nums">{money(line.amount_minor)}</dd>
				</div>
			))}
			<dt className="border-t border-hair pt-3 text-lg font-semibold">
				{dueMinor > 0 ? words.due : words.dueNothing}
			</dt>
			<dd className="border-t border-hair pt-3 text-end text-lg font-semibold tabular-nums">
				{money(dueMinor)}
			</dd>
		</dl>
	);
}

type Naming = { words: ChangeTexts["line"]; nameOf: (code: string) => string; isPart: boolean };

function nameLine({ what, code, amount_minor }: Line, { words, nameOf, isPart }: Naming): string {
	if (what === "credit") return words.credit(nameOf(code));
	if (what === "balance") return amount_minor > 0 ? words.putBy : words.balance;
	return isPart ? words.planLeft(nameOf(code)) : words.plan(nameOf(code));
}
