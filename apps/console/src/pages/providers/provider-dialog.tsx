import { SelectField, TextField } from "@lango/interface";
import { useState } from "react";
import { FormDialog } from "../../dialogs/form-dialog.tsx";
import { CheckField } from "../../fields/check-field.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf, type InputError, type Rule } from "../../forms/rules.ts";
import type { Field } from "../../forms/submit-form.tsx";
import { usePlatform } from "../../platform.ts";
import { CredentialFields } from "./credential-fields.tsx";
import {
	addProvider,
	changeProvider,
	type Provider,
	type ProviderChange,
	type ProviderScope,
	providersKey,
} from "./provider.queries.ts";
import {
	type Channel,
	channels,
	checkCredentials,
	fieldOf,
	hasCredentials,
	isKind,
	type KindName,
	kindsOf,
	nameOfKind,
	readCredentials,
} from "./provider-kinds.ts";
import { useProviderTexts } from "./texts.ts";

type ProviderDialog = {
	scope: ProviderScope;
	/** The provider to change; undefined to add one. */
	provider: Provider | undefined;
	onClose: () => void;
};

/** The numbers of a provider, with the bounds that the service accepts. */
const numbers = {
	resting_weight: { from: 0, to: 100, fallback: 100 },
	per_second: { from: 1, to: 10_000, fallback: 10 },
	in_flight_max: { from: 1, to: 1_000, fallback: 10 },
} as const;
const numberNames = Object.keys(numbers) as Array<keyof typeof numbers>;

/** Adds or changes a provider. Stored credentials are never shown; they stay unless new ones are entered. */
export function ProviderDialog({ scope, provider, onClose }: ProviderDialog) {
	const platform = usePlatform();
	const words = useProviderTexts();
	const [channel, setChannel] = useState<Channel>(provider?.channel ?? "email");
	const [kind, setKind] = useState<KindName>(kindOf(provider) ?? "smtp");
	const [isEnabled, setEnabled] = useState(provider?.enabled ?? true);
	const isNew = provider === undefined;
	const isPlatform = scope.platformId !== undefined;
	const choose = (chosen: Channel) => {
		setChannel(chosen);
		setKind(kindsOf(chosen)[0] ?? "smtp");
	};
	const check = (entered: FormData) => checkProvider(entered, { kind, isNew, isPlatform, words });
	const send = (entered: FormData) => {
		const body = { ...readChange(entered, { kind, isNew }), enabled: isEnabled };
		return isNew
			? addProvider(platform, scope, { ...body, channel, kind })
			: changeProvider(platform, { scope, id: provider.id }, body);
	};
	const labels = isNew
		? { title: words.addTitle, confirm: words.add, busyText: words.adding }
		: { title: words.changeTitle(provider.name), confirm: words.save, busyText: words.saving };
	return (
		<FormDialog
			{...labels}
			keptAs={provider?.id ?? labels.title}
			messages={words.errors}
			fieldMessages={{ [fieldOf("fromAddress")]: words.fromAddressInvalid }}
			check={check}
			action={send}
			invalidates={providersKey(scope)}
			done={({ name }) => (isNew ? words.added(name) : words.saved(name))}
			onClose={onClose}
		>
			{(field) => (
				<>
					{isNew && <KindFields {...{ channel, kind }} onChannel={choose} onKind={setKind} />}
					<TextField
						{...field("name")}
						label={words.name}
						hint={words.nameHint}
						defaultValue={provider?.name}
						maxLength={60}
						isProse
					/>
					<CredentialFields key={kind} kind={kind} isNew={isNew} isPlatform={isPlatform} field={field} />
					{isPlatform && (
						<TextField
							{...field("base_url")}
							label={words.baseUrl}
							hint={words.baseUrlHint}
							maxLength={300}
							inputMode="url"
							isOptional
						/>
					)}
					<NumberFields provider={provider} field={field} />
					<CheckField
						{...field("enabled")}
						label={words.enabled}
						hint={words.enabledHint}
						isChecked={isEnabled}
						onChange={setEnabled}
					/>
				</>
			)}
		</FormDialog>
	);
}

const kindOf = (provider: Provider | undefined): KindName | undefined =>
	provider !== undefined && isKind(provider.kind) ? provider.kind : undefined;

type KindFields = {
	channel: Channel;
	kind: KindName;
	onChannel: (channel: Channel) => void;
	onKind: (kind: KindName) => void;
};

function KindFields({ channel, kind, onChannel, onKind }: KindFields) {
	const words = useProviderTexts();
	return (
		<>
			<SelectField
				name="channel"
				label={words.channel}
				value={channel}
				onChange={(event) => onChannel(event.target.value as Channel)}
				options={channels.map((value) => ({ value, label: words.channels[value] }))}
			/>
			<SelectField
				name="kind"
				label={words.kind}
				value={kind}
				onChange={(event) => onKind(event.target.value as KindName)}
				options={kindsOf(channel).map((value) => ({ value, label: nameOfKind(value, words) }))}
			/>
		</>
	);
}

function NumberFields({ provider, field }: { provider: Provider | undefined; field: Field }) {
	const words = useProviderTexts();
	return numberNames.map((name) => (
		<TextField
			key={name}
			{...field(name)}
			label={words.numbers[name]}
			hint={words.numberHints[name]}
			defaultValue={String(provider?.[name] ?? numbers[name].fallback)}
			inputMode="numeric"
			maxLength={5}
		/>
	));
}

type Checking = {
	kind: KindName;
	isNew: boolean;
	isPlatform: boolean;
	words: ReturnType<typeof useProviderTexts>;
};

function checkProvider(
	entered: FormData,
	{ kind, isNew, isPlatform, words }: Checking,
): readonly InputError[] {
	const about = { isPlatform, missing: words.missing, port: words.portInvalid, labels: words.credentials };
	const credentials = isNew || hasCredentials(entered, kind) ? checkCredentials(entered, kind, about) : [];
	const ofNumber = (name: (typeof numberNames)[number]): Rule => {
		const { from, to } = numbers[name];
		const message = words.numberInvalid(words.numbers[name], from, to);
		return [!isWithin(textOf(entered, name), numbers[name]), name, message];
	};
	return [
		...errorsOf([[textOf(entered, "name") === "", "name", words.missing(words.name)]]),
		...credentials,
		...errorsOf([
			[!/^$|^https?:\/\/\S+$/.test(textOf(entered, "base_url")), "base_url", words.baseUrlInvalid],
			...numberNames.map(ofNumber),
		]),
	];
}

const isWithin = (text: string, { from, to }: { from: number; to: number }) =>
	/^\d{1,5}$/.test(text) && Number(text) >= from && Number(text) <= to;

function readChange(
	entered: FormData,
	{ kind, isNew }: Pick<Checking, "kind" | "isNew">,
): Omit<ProviderChange, "enabled"> {
	const baseUrl = textOf(entered, "base_url");
	const changed = isNew || hasCredentials(entered, kind);
	return {
		name: textOf(entered, "name"),
		...(changed && { credentials: readCredentials(entered, kind) }),
		...(baseUrl !== "" && { base_url: baseUrl }),
		resting_weight: Number(textOf(entered, "resting_weight")),
		per_second: Number(textOf(entered, "per_second")),
		in_flight_max: Number(textOf(entered, "in_flight_max")),
	};
}
