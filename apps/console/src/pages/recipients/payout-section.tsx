import { SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { SaveForm } from "../../forms/save-form.tsx";
import { DetailRows } from "../../layout/details.tsx";
import { Section } from "../../layout/section.tsx";
import { useWholeList } from "../../lists/searched-list.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { moneyText } from "../plans/money-input.ts";
import {
	type PayoutConfig,
	payoutConfigQuery,
	type Recipient,
	recipientsAddress,
	recipientsKey,
	savePayoutConfig,
	schedules,
} from "./recipient.queries.ts";
import { checkPayouts, readPayouts } from "./recipient-form.ts";
import { useRecipientTexts } from "./texts.ts";

type Props = { scope: ServiceScope; mayChange: boolean };

/** Where payouts go, and when. */
export function PayoutSection({ scope, mayChange }: Props) {
	const platform = usePlatform();
	const words = useRecipientTexts().payouts;
	const found = useQuery(payoutConfigQuery(platform, scope));
	const recipients = useWholeList<Recipient>({
		...{ key: recipientsKey(scope), address: recipientsAddress(platform, scope), outlet: "none" },
	});
	const currency = useTenant()?.currency ?? "KES";
	return (
		<Section title={words.title} lead={words.lead}>
			<Loaded query={found}>
				{(config) => (
					<Loaded query={recipients}>
						{(all) => {
							const active = all.filter(({ status }) => status === "active");
							const shown = { config, recipients: active, currency };
							return mayChange ? (
								<PayoutForm key={JSON.stringify(config)} scope={scope} {...shown} />
							) : (
								<PayoutRows {...shown} />
							);
						}}
					</Loaded>
				)}
			</Loaded>
		</Section>
	);
}

type Shown = { config: PayoutConfig; recipients: readonly Recipient[]; currency: string };

const nameOf = ({ name, masked_account }: Recipient) => `${name}, ${masked_account}`;

function PayoutRows({ config, recipients, currency }: Shown) {
	const words = useRecipientTexts().payouts;
	const format = useFormat();
	const recipient = recipients.find(({ id }) => id === config.recipient_id);
	return (
		<DetailRows
			rows={[
				[words.recipient, recipient === undefined ? words.none : nameOf(recipient)],
				[words.schedule, words.schedules[config.schedule]],
				[words.minimum, format.money(config.minimum_minor, currency)],
				[words.approvalAbove, format.money(config.approval_above_minor, currency)],
			]}
		/>
	);
}

function PayoutForm({ scope, config, recipients, currency }: Shown & { scope: ServiceScope }) {
	const platform = usePlatform();
	const { payouts: words, errors } = useRecipientTexts();
	const { approval_above_max_minor: approvalMaxMinor } = config;
	const approvalMax = useFormat().money(approvalMaxMinor, currency);
	const approvalInvalid = words.approvalInvalid(approvalMax);
	return (
		<div className="max-w-2xl">
			<SaveForm
				texts={words}
				save={(entered) => savePayoutConfig(platform, scope, readPayouts(entered, currency))}
				invalidates={recipientsKey(scope)}
				messages={errors}
				fieldMessages={{ approval_above_minor: words.approvalLowered }}
				check={(entered) =>
					checkPayouts(entered, { currency, approvalMaxMinor, words: { ...words, approvalInvalid } })
				}
			>
				{(field) => (
					<>
						<SelectField
							{...field("recipient_id")}
							label={words.recipient}
							options={[
								{ value: "", label: words.nowhere },
								...recipients.map((one) => ({ value: one.id, label: nameOf(one) })),
							]}
							defaultValue={config.recipient_id ?? ""}
						/>
						<SelectField
							{...field("schedule")}
							label={words.schedule}
							options={schedules.map((value) => ({ value, label: words.schedules[value] }))}
							defaultValue={config.schedule}
						/>
						<TextField
							{...field("minimum")}
							inputMode="decimal"
							label={words.minimum}
							hint={words.minimumHint}
							defaultValue={moneyText(config.minimum_minor, currency)}
							maxLength={20}
						/>
						<TextField
							{...field("approval_above_minor")}
							inputMode="decimal"
							label={words.approvalAbove}
							hint={words.approvalHint(approvalMax)}
							defaultValue={moneyText(config.approval_above_minor, currency)}
							maxLength={20}
						/>
					</>
				)}
			</SaveForm>
		</div>
	);
}
