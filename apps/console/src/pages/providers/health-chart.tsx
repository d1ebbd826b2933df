import { DataTable } from "@lango/interface";
import { useFormat } from "../../tenant/use-format.ts";
import { fillMinutes, minutesShown } from "./minutes.ts";
import type { Minute } from "./provider.queries.ts";
import { useProviderTexts } from "./texts.ts";

const height = 60;

type HealthChart = { items: readonly Minute[]; at: Date };

/**
 * What a provider did in the last hour, as bars by the minute: errors below, sent above. The chart is
 * decoration; the table below it has the same figures.
 */
export function HealthChart({ items, at }: HealthChart) {
	const words = useProviderTexts();
	const format = useFormat();
	const filled = fillMinutes(items, at);
	const most = Math.max(1, ...filled.map(({ sent, errors }) => sent + errors));
	const total = (of: (one: Minute) => number) => format.number(filled.reduce((sum, one) => sum + of(one), 0));
	if (items.length === 0) return <p className="text-quiet">{words.noCalls}</p>;
	return (
		<div className="grid gap-4">
			<p>
				{words.hour(
					total(({ sent }) => sent),
					total(({ errors }) => errors),
					total(({ slow }) => slow),
				)}
			</p>
			<svg
				aria-hidden="true"
				viewBox={`0 0 ${minutesShown * 4} ${height}`}
				preserveAspectRatio="none"
				className="h-24 w-full rounded-lg border border-hair"
			>
				{filled.map(({ minute, sent, errors }, index) => {
					const [good, bad] = [(sent / most) * height, (errors / most) * height];
					return (
						<g key={minute}>
							<rect x={index * 4} y={height - bad} width={3} height={bad} className="fill-error" />
							<rect x={index * 4} y={height - bad - good} width={3} height={good} className="fill-link" />
						</g>
					);
				})}
			</svg>
			<details>
				<summary className="min-h-11 cursor-pointer font-semibold text-link">{words.asTable}</summary>
				<DataTable
					caption={words.health}
					rows={items}
					keyOf={({ minute }) => minute}
					empty={words.noCalls}
					columns={[
						{ head: words.minute, cell: ({ minute }) => format.time(minute) },
						{ head: words.sent, isNumber: true, cell: ({ sent }) => format.number(sent) },
						{ head: words.failedCalls, isNumber: true, cell: ({ errors }) => format.number(errors) },
						{ head: words.slow, isNumber: true, cell: ({ slow }) => format.number(slow) },
					]}
				/>
			</details>
		</div>
	);
}
