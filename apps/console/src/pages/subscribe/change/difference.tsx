import type { SubscriptionQuote } from "@lango/contracts";
import { Notice } from "@lango/interface";
import { Card } from "../../../layout/section.tsx";
import { type Gain, isGain } from "../../../subscription/offer.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import { useTexts, wordFor } from "../../../texts/texts.ts";
import { useChangeTexts } from "./texts.ts";

type Lost = Pick<SubscriptionQuote, "products_lost" | "features_lost" | "limits_lowered" | "limits_exceeded">;
type Limit = { limit: string; from: number; to: number };

/** What a change adds and removes, and which new limits are already exceeded. */
export function Difference({ gain, quote }: { gain: Gain; quote: Lost }) {
	const words = useChangeTexts();
	const gained = useLines(gain);
	const lost = useLines({
		products: quote.products_lost,
		features: quote.features_lost,
		limits: quote.limits_lowered,
	});
	return (
		<div className="grid gap-4 lg:gap-5">
			{lost.length > 0 && (
				<Card title={words.losses}>
					<List lines={lost} sign="–" look="text-error" />
					<Exceeded quote={quote} />
				</Card>
			)}
			{(isGain(gain) || lost.length === 0) && (
				<Card title={words.gains}>
					{gained.length === 0 ? (
						<p className="text-quiet">{words.nothingGained}</p>
					) : (
						<List lines={gained} sign="+" look="text-done" />
					)}
				</Card>
			)}
		</div>
	);
}

function List({ lines, sign, look }: { lines: readonly string[]; sign: string; look: string }) {
	return (
		<ul className="grid gap-1">
			{lines.map((line) => (
				<li key={line} className="flex items-baseline gap-2.5 wrap-anywhere">
					<span aria-hidden="true" className={`w-3 shrink-0 text-center font-semibold ${look}`}>
						{sign}
					</span>
					{line}
				</li>
			))}
		</ul>
	);
}

/** A warning about new limits that are already exceeded. */
function Exceeded({ quote: { limits_exceeded } }: { quote: Lost }) {
	const words = useChangeTexts();
	const texts = useTexts();
	const format = useFormat();
	if (limits_exceeded.length === 0) return null;
	return (
		<div className="mt-4">
			<Notice kind="warning">
				<p className="font-semibold">{words.exceededTitle}</p>
				<ul>
					{limits_exceeded.map(({ limit, used, allowed }) => (
						<li key={limit}>
							{words.exceeded(wordFor(texts.limits, limit), format.number(used), format.number(allowed))}
						</li>
					))}
				</ul>
			</Notice>
		</div>
	);
}

function useLines({
	products,
	features,
	limits,
}: Gain | { products: string[]; features: string[]; limits: Limit[] }) {
	const texts = useTexts();
	const words = useChangeTexts();
	const format = useFormat();
	return [
		...products.map((code) => wordFor(texts.products, code)),
		...features.map((code) => wordFor(texts.features, code)),
		...limits.map(({ limit, from, to }) =>
			words.limit(wordFor(texts.limits, limit), format.limit(from), format.limit(to)),
		),
	];
}
