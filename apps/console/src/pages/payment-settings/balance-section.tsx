import { useQuery } from "@tanstack/react-query";
import { Detail, Details } from "../../layout/details.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { AskBalance } from "../payments/ask-balance.tsx";
import { useConfirmed } from "../payments/use-confirmed.ts";
import { type Balances, balancesQuery } from "../statement/statement.queries.ts";
import { shortcodeQuery } from "./shortcode.queries.ts";
import { usePaymentSettingTexts } from "./texts.ts";

/** What the gateway last said of the balance of the shortcode. Nothing until there is a shortcode. */
export function BalanceSection({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = usePaymentSettingTexts();
	const shortcode = useQuery(shortcodeQuery(platform, scope)).data?.shortcode ?? null;
	const found = useQuery(balancesQuery(platform, scope));
	if (shortcode === null) return null;
	return (
		<Section title={words.balance(shortcode)} lead={words.balanceLead}>
			<Loaded query={found}>{(balances) => <Confirmed balances={balances} shortcode={shortcode} />}</Loaded>
			<AskBalance scope={scope} />
		</Section>
	);
}

const unasked = { confirmed_minor: null, confirmed_at: null };

function Confirmed({ balances, shortcode }: { balances: Balances; shortcode: string }) {
	const { head, confirmedOf } = useConfirmed(balances.currency);
	const known = balances.tenant_custody.find((one) => one.shortcode === shortcode) ?? unasked;
	return (
		<Details>
			<Detail label={head}>{confirmedOf(known)}</Detail>
		</Details>
	);
}
