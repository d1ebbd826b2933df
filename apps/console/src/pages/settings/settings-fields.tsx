import type { JoinPolicy, OutletIsolation, TenantSettings } from "@lango/contracts";
import { ChoiceField, formatTime, SelectField, TenantBadge, TextField, useLanguage } from "@lango/interface";
import type { Field } from "../../forms/submit-form.tsx";
import { Card } from "../../layout/section.tsx";
import { usePlatform } from "../../platform.ts";
import { listCurrencies, listLocales, listZones } from "./choices.ts";
import type { Draft } from "./settings-form.ts";
import { useSettingsTexts } from "./texts.ts";

/** The values of the fields, and the callback for a change. */
export type DraftFields = { draft: Draft; onDraft: (change: Partial<Draft>) => void };
type Fields = DraftFields & {
	/** The saved settings. */
	saved: TenantSettings;
	field: Field;
};

/** From the least to the most restrictive. */
const joinPolicies: readonly JoinPolicy[] = ["open", "approval", "invite"];
const outletIsolations: readonly OutletIsolation[] = ["strict", "open"];
const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text);

/** A tenant's name and colour, with a preview beside the logo, which is saved independently. */
export function LookSection({ draft: { name, colour }, onDraft, saved, field }: Fields) {
	const words = useSettingsTexts();
	return (
		<Card title={words.look}>
			<Preview name={name} colour={colour} logo={saved.branding.logo_url} />
			<TextField
				{...field("name")}
				label={words.name}
				hint={words.nameHint}
				value={name}
				maxLength={200}
				isProse
				onChange={({ target }) => onDraft({ name: target.value })}
			/>
			<TextField
				{...field("colour")}
				label={words.colour}
				hint={words.colourHint}
				value={colour}
				maxLength={7}
				isOptional
				onChange={({ target }) => onDraft({ colour: target.value })}
			>
				<input
					type="color"
					aria-label={words.pickColour}
					value={isColour(colour) ? colour : "#888888"}
					onChange={({ target }) => onDraft({ colour: target.value })}
					className="absolute inset-y-1 right-1 h-auto w-14 cursor-pointer rounded-md border border-hair bg-field"
				/>
			</TextField>
			<dl className="mt-5">
				<dt className="font-semibold">{words.slug}</dt>
				<dd className="text-lg">{saved.slug}</dd>
				<dd className="text-quiet">{words.slugHint}</dd>
			</dl>
		</Card>
	);
}

/** Logo and name as the sign-in page shows them. */
function Preview({ name, colour, logo }: { name: string; colour: string; logo: string | null }) {
	const words = useSettingsTexts();
	const { authUrl } = usePlatform().settings;
	const branding = { logo_url: logo, colour: isColour(colour) ? colour : null };
	return (
		<figure className="rounded-lg border border-hair bg-wall p-4">
			<TenantBadge tenant={{ name, branding }} authUrl={authUrl} />
			<p className="font-display text-2xl wrap-anywhere">{name}</p>
			<figcaption className="mt-3 text-sm text-quiet">{words.preview}</figcaption>
		</figure>
	);
}

/** A tenant's time zone, currency and language. */
export function PlaceSection({ draft, onDraft, saved, field }: Fields) {
	const words = useSettingsTexts();
	const language = useLanguage();
	const { time_zone, currency, locale } = draft;
	return (
		<Card title={words.place}>
			<SelectField
				{...field("time_zone")}
				label={words.zone}
				hint={words.zoneHint(formatTime(new Date(), { language, timeZone: time_zone }))}
				value={time_zone}
				options={listZones(saved.time_zone)}
				onChange={({ target }) => onDraft({ time_zone: target.value })}
			/>
			<SelectField
				{...field("currency")}
				label={words.currency}
				hint={words.currencyHint}
				value={currency}
				options={listCurrencies(saved.currency, language)}
				onChange={({ target }) => onDraft({ currency: target.value })}
			/>
			<SelectField
				{...field("locale")}
				label={words.locale}
				hint={words.localeHint}
				value={locale}
				options={listLocales(saved.locale, language)}
				onChange={({ target }) => onDraft({ locale: target.value })}
			/>
		</Card>
	);
}

/** The join policy of the tenant. */
export function JoiningSection({ draft, onDraft, field }: Omit<Fields, "saved">) {
	const words = useSettingsTexts();
	return (
		<Card title={words.joining}>
			<ChoiceField
				{...field("join_policy")}
				legend={words.joinLegend}
				choices={joinPolicies.map((value) => ({
					value,
					label: words.join[value],
					detail: words.joinDetail[value],
				}))}
				value={draft.join_policy}
				onChoose={(join_policy) => onDraft({ join_policy })}
			/>
		</Card>
	);
}

/** Whether members can read data of outlets that are not theirs. */
export function IsolationSection({ draft, onDraft, field }: Omit<Fields, "saved">) {
	const words = useSettingsTexts();
	return (
		<Card title={words.outlets}>
			<ChoiceField
				{...field("outlet_isolation")}
				legend={words.isolationLegend}
				choices={outletIsolations.map((value) => ({
					value,
					label: words.isolation[value],
					detail: words.isolationDetail[value],
				}))}
				value={draft.outlet_isolation}
				onChoose={(outlet_isolation) => onDraft({ outlet_isolation })}
			/>
		</Card>
	);
}
