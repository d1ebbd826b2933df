import { Notice, SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { CheckField } from "../../fields/check-field.tsx";
import { SaveForm } from "../../forms/save-form.tsx";
import type { Field } from "../../forms/submit-form.tsx";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { useIsPlatform } from "../access/use-is-platform.ts";
import { SecretField } from "../payments/secret-field.tsx";
import { BalanceSection } from "./balance-section.tsx";
import { CounterQrSection } from "./counter-qr-section.tsx";
import { CounterSection } from "./counter-section.tsx";
import {
	type Shortcode,
	saveShortcode,
	shortcodeKey,
	shortcodeQuery,
	shortcodeSecrets,
} from "./shortcode.queries.ts";
import { checkShortcode, readShortcode } from "./shortcode-form.ts";
import { usePaymentSettingTexts } from "./texts.ts";

const route = getRouteApi("/$slug/payment-settings");

/**
 * `/{slug}/payment-settings`: the paybill or till of an organisation, and its secrets, which are written
 * only.
 */
export function PaymentSettingsPage() {
	const { slug } = route.useParams();
	const words = usePaymentSettingTexts();
	const tenant = useTenant();
	return (
		<ServiceGate
			service="treasury"
			slug={slug}
			permission="treasury.gateways.view"
			isForPlatform={useIsPlatform(slug)}
		>
			{(scope, granted) => (
				<Page title={words.title} lead={words.lead(tenant?.name ?? slug)}>
					<div className="max-w-2xl">
						<StoredShortcode scope={scope} mayChange={isGranted(granted, "treasury.gateways.manage")} />
						<CounterSection scope={scope} mayChange={isGranted(granted, "treasury.gateways.manage")} />
						{isGranted(granted, "treasury.payments.change") && <CounterQrSection scope={scope} />}
						{isGranted(granted, "treasury.statements.view") && <BalanceSection scope={scope} />}
					</div>
				</Page>
			)}
		</ServiceGate>
	);
}

function StoredShortcode({ scope, mayChange }: { scope: ServiceScope; mayChange: boolean }) {
	const found = useQuery(shortcodeQuery(usePlatform(), scope));
	return (
		<Loaded query={found} isMain>
			{(stored) => (
				<ShortcodeForm
					// What is typed stays when the shortcode was verified or connected.
					key={JSON.stringify({
						...stored,
						is_active: undefined,
						urls_registered_at: undefined,
						version: undefined,
					})}
					{...{ scope, stored, mayChange }}
				/>
			)}
		</Loaded>
	);
}

type Form = { scope: ServiceScope; stored: Shortcode; mayChange: boolean };

function ShortcodeForm({ scope, stored, mayChange }: Form) {
	const platform = usePlatform();
	const words = usePaymentSettingTexts();
	if (!mayChange) return <p>{stored.shortcode ?? "–"}</p>;
	return (
		<>
			{stored.shortcode !== null && <State isActive={stored.is_active} />}
			<SaveForm
				texts={words}
				save={(entered) => saveShortcode(platform, scope, readShortcode(entered))}
				invalidates={shortcodeKey(scope.slug)}
				messages={words.errors}
				check={(entered) => checkShortcode(entered, words)}
			>
				{(field, isBusy) => (
					<>
						<NumberFields stored={stored} field={field} />
						<SecretFields stored={stored} field={field} isBusy={isBusy} />
					</>
				)}
			</SaveForm>
		</>
	);
}

function State({ isActive }: { isActive: boolean }) {
	const words = usePaymentSettingTexts();
	return (
		<Notice kind={isActive ? "done" : "warning"}>
			{isActive ? words.active : `${words.inactive}. ${words.inactiveNote}`}
		</Notice>
	);
}

function NumberFields({ stored, field }: { stored: Shortcode; field: Field }) {
	const words = usePaymentSettingTexts();
	const [isReturned, setReturned] = useState(stored.refund_excess);
	const choices = <T extends string>(of: Readonly<Record<T, string>>) =>
		Object.entries<string>(of).map(([value, label]) => ({ value, label }));
	return (
		<>
			<TextField
				{...field("shortcode")}
				label={words.shortcode}
				defaultValue={stored.shortcode ?? ""}
				inputMode="numeric"
				maxLength={10}
			/>
			<SelectField
				{...field("kind")}
				label={words.kind}
				options={choices(words.kinds)}
				defaultValue={stored.kind ?? "paybill"}
			/>
			<TextField
				{...field("account_reference")}
				label={words.accountReference}
				hint={words.accountReferenceHint}
				defaultValue={stored.account_reference ?? ""}
				isOptional
			/>
			<SelectField
				{...field("unknown_accounts")}
				label={words.unknownAccounts}
				options={choices(words.unknownAccountsAre)}
				defaultValue={stored.unknown_accounts}
			/>
			<CheckField
				{...field("refund_excess")}
				label={words.refundExcess}
				hint={words.refundExcessHint}
				isChecked={isReturned}
				onChange={setReturned}
			/>
		</>
	);
}

function SecretFields({ stored, field, isBusy }: { stored: Shortcode; field: Field; isBusy: boolean }) {
	const words = usePaymentSettingTexts();
	return (
		<>
			<TextField
				{...field("initiator_name")}
				label={words.initiator}
				hint={words.initiatorHint}
				defaultValue={stored.initiator_name ?? ""}
				maxLength={60}
				isOptional
			/>
			<p className="mt-6 text-quiet">{words.secretsNote}</p>
			{shortcodeSecrets.map((name) => (
				<SecretField
					key={name}
					{...field(name)}
					label={words.secrets[name]}
					shown={stored.secrets[name]}
					isBusy={isBusy}
				/>
			))}
		</>
	);
}
