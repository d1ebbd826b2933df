import { type Column, DataTable } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { AskBalance } from "../payments/ask-balance.tsx";
import { useConfirmed } from "../payments/use-confirmed.ts";
import { BalanceChart } from "./balance-chart.tsx";
import { type Balances, balancesQuery } from "./statement.queries.ts";
import { useStatementTexts } from "./texts.ts";

/** What Lango holds for the organisation, and what its own shortcodes have received. */
export function BalanceSections({ scope }: { scope: ServiceScope }) {
	const found = useQuery(balancesQuery(usePlatform(), scope));
	return (
		<Loaded query={found} isMain>
			{(balances) => (
				<>
					<AtLango balances={balances} />
					<OwnNumbers balances={balances} scope={scope} />
				</>
			)}
		</Loaded>
	);
}

function AtLango({ balances }: { balances: Balances }) {
	const words = useStatementTexts();
	return (
		<Section title={words.atLango} lead={words.atLangoNote}>
			<BalanceChart balances={balances} />
		</Section>
	);
}

function OwnNumbers({ balances, scope }: { balances: Balances; scope: ServiceScope }) {
	const { tenant_custody, currency } = balances;
	const words = useStatementTexts();
	const format = useFormat();
	const { head, confirmedOf } = useConfirmed(currency);
	const columns: Column<Balances["tenant_custody"][number]>[] = [
		{ head: words.number, cell: ({ shortcode }) => shortcode },
		{ head: words.mirror, isNumber: true, cell: (one) => format.money(one.mirror_minor, currency) },
		{ head: words.suspense, isNumber: true, cell: (one) => format.money(one.suspense_minor, currency) },
		{ head, cell: confirmedOf },
	];
	return (
		<Section title={words.ownNumbers} lead={words.ownNote}>
			<DataTable
				caption={words.ownNumbers}
				columns={columns}
				rows={tenant_custody}
				keyOf={({ shortcode }) => shortcode}
				empty={words.noNumbers}
			/>
			<AskBalance scope={scope} />
		</Section>
	);
}
