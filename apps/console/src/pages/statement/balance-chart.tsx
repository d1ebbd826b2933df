import { Detail, Details } from "../../layout/details.tsx";
import { useFormat } from "../../tenant/use-format.ts";
import { type PartLook, PartName, PartsBar } from "./parts-bar.tsx";
import { type Balances, owedAccounts, ownAccounts } from "./statement.queries.ts";
import { useStatementTexts } from "./texts.ts";

const looks: Readonly<Record<(typeof ownAccounts)[number], PartLook>> = {
	...{ available: "done", pending: "plain", reserved: "link" },
	...{ refunding: "warning", disputed: "error" },
};

/** What Lango holds for the organisation as a bar, with its parts, and what the organisation owes. */
export function BalanceChart({ balances: { platform_custody: custody, currency } }: { balances: Balances }) {
	const words = useStatementTexts();
	const format = useFormat();
	const held = ownAccounts.map((name) => ({ name, value: custody[name] ?? 0, look: looks[name] }));
	const sum = held.reduce((all, { value }) => all + value, 0);
	return (
		<>
			<p className="mb-2 text-lg">
				{words.held} <strong className="tabular-nums">{format.money(sum, currency)}</strong>
			</p>
			<PartsBar parts={held} />
			<Details>
				{held.map(({ name, value, look }) => (
					<Detail key={name} label={<PartName look={look}>{words.accounts[name]}</PartName>}>
						<span className="tabular-nums">{format.money(value, currency)}</span>
					</Detail>
				))}
				{owedAccounts.map((name) => (
					<Detail key={name} label={words.accounts[name]}>
						<span className="tabular-nums">{format.money(custody[name] ?? 0, currency)}</span>
					</Detail>
				))}
			</Details>
		</>
	);
}
