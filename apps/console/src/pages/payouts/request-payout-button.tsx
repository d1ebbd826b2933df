import { SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { FormButton } from "../../dialogs/form-button.tsx";
import { useGrantKeys } from "../../forms/grant-keys.ts";
import type { Field } from "../../forms/submit-form.tsx";
import { useWholeList } from "../../lists/searched-list.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { type Recipient, recipientsAddress, recipientsKey } from "../recipients/recipient.queries.ts";
import { balancesQuery } from "../statement/statement.queries.ts";
import { PayeeFields } from "./payee-fields.tsx";
import { requestPayout } from "./payout.queries.ts";
import { checkPayout, readPayout } from "./payout-form.ts";
import { usePayoutTexts } from "./texts.ts";

/** A button that asks for a payout, and opens it. A request that is sent twice takes effect once. */
export function RequestPayoutButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = usePayoutTexts();
	const navigate = useNavigate();
	const keys = useGrantKeys("a payout");
	const currency = useTenant()?.currency ?? "KES";
	const request = (entered: FormData) => {
		const wanted = readPayout(entered, currency);
		const idempotencyKey = keys.keyFor(JSON.stringify(wanted));
		return requestPayout(platform, scope, { request: wanted, idempotencyKey });
	};
	const { label, confirm, busy, done } = words.request;
	return (
		<FormButton
			{...{ label, confirm, done, busyText: busy, lead: <Available scope={scope} /> }}
			messages={words.errors}
			check={(entered) => checkPayout(entered, { currency, words })}
			action={request}
			redirect={({ id }) => navigate({ to: "/$slug/payouts/$id", params: { slug: scope.slug, id } })}
			onDone={() => keys.forget()}
			invalidates={["treasury", scope.slug]}
		>
			{(field) => <PayoutFields scope={scope} field={field} currency={currency} />}
		</FormButton>
	);
}

/** What can be paid out of the money at the platform. It is read again: a settlement may have raised it. */
function Available({ scope }: { scope: ServiceScope }) {
	const words = usePayoutTexts();
	const format = useFormat();
	const balances = useQuery({ ...balancesQuery(usePlatform(), scope), staleTime: 0 }).data;
	if (balances === undefined) return null;
	return words.request.lead(format.money(balances.platform_custody["available"] ?? 0, balances.currency));
}

function PayoutFields({ scope, field, currency }: { scope: ServiceScope; field: Field; currency: string }) {
	const words = usePayoutTexts();
	const [rail, setRail] = useState("card_gateway");
	const isByCard = rail === "card_gateway";
	return (
		<>
			<SelectField
				{...field("rail")}
				label={words.rail}
				value={rail}
				onChange={({ target }) => setRail(target.value)}
				options={Object.entries(words.rails).map(([value, label]) => ({ value, label }))}
			/>
			{isByCard ? (
				<RecipientField scope={scope} field={field} />
			) : (
				<PayeeFields field={field} nameOf={(name) => name} />
			)}
			<TextField
				{...field("amount_minor")}
				label={words.amountIn(currency)}
				hint={isByCard ? words.amountHint : undefined}
				inputMode="decimal"
				autoComplete="off"
				maxLength={20}
				isOptional={isByCard}
			/>
			{!isByCard && (
				<TextField {...field("remarks")} label={words.remarks} autoComplete="off" maxLength={100} isProse />
			)}
		</>
	);
}

function RecipientField({ scope, field }: { scope: ServiceScope; field: Field }) {
	const platform = usePlatform();
	const words = usePayoutTexts();
	const found = useWholeList<Recipient>({
		...{ key: recipientsKey(scope), address: recipientsAddress(platform, scope), outlet: "none" },
	});
	return (
		<Loaded query={found}>
			{(all) => {
				const active = all.filter(({ status }) => status === "active");
				return (
					<SelectField
						{...field("recipient_id")}
						label={words.recipient}
						hint={words.recipientHint}
						defaultValue={active.length === 1 ? active[0]?.id : ""}
						options={[
							{ value: "", label: active.length === 0 ? words.noRecipients : words.choose },
							...active.map(({ id, name, masked_account }) => ({
								...{ value: id, label: `${name}, ${masked_account}` },
							})),
						]}
					/>
				);
			}}
		</Loaded>
	);
}
