import { type Column, DataTable, RowName, SelectField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { wholeOf } from "../../inbox/inbox.queries.ts";
import { Badge } from "../../layout/badge.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { type Contact, type Own, ownListQuery, preferencesKey } from "./preference.queries.ts";
import { usePreferenceTexts } from "./texts.ts";

const path = "contact-points";
const addressChannels = ["email", "sms", "whatsapp"] as const;

/** The user's further addresses. A code proves that one is theirs. */
export function Addresses({ own }: { own: Own }) {
	const words = usePreferenceTexts();
	const query = useQuery(ownListQuery<Contact>(usePlatform(), own, path));
	return (
		<Section title={words.addresses} lead={words.addressesLead} actions={<AddButton own={own} />}>
			<Loaded query={query}>{(contacts) => <ContactTable own={own} contacts={contacts} />}</Loaded>
		</Section>
	);
}

function AddButton({ own }: { own: Own }) {
	const platform = usePlatform();
	const words = usePreferenceTexts();
	const { channelNames } = useTemplateTexts();
	return (
		<FormButton
			label={words.add}
			lead={words.addLead}
			confirm={words.sendCode}
			busyText={words.sending}
			messages={words.errors}
			invalidates={preferencesKey(own.slug, path)}
			done={({ verified_at }: Contact) => (verified_at === null ? words.codeSent : words.isVerified)}
			check={(entered) => errorsOf([[textOf(entered, "address") === "", "address", words.missingAddress]])}
			action={(entered) =>
				platform.client.call<Contact>(`${own.address}/${path}`, {
					...wholeOf(platform, own.slug),
					method: "POST",
					body: { channel: textOf(entered, "channel"), address: textOf(entered, "address") },
				})
			}
		>
			{(field) => (
				<>
					<SelectField
						{...field("channel")}
						label={words.channel}
						options={addressChannels.map((value) => ({ value, label: channelNames[value] }))}
					/>
					<TextField {...field("address")} autoComplete="off" maxLength={320} label={words.address} />
				</>
			)}
		</FormButton>
	);
}

function ContactTable({ own, contacts }: { own: Own; contacts: readonly Contact[] }) {
	const platform = usePlatform();
	const words = usePreferenceTexts();
	const { channelNames } = useTemplateTexts();
	const columns: Column<Contact>[] = [
		{
			head: words.address,
			cell: ({ address_masked, channel }) => (
				<RowName detail={channelNames[channel]}>{address_masked}</RowName>
			),
		},
		{ head: words.state, cell: (contact) => <State contact={contact} /> },
		{
			...{ head: words.actions, isHeadHidden: true, isNumber: true },
			cell: ({ id, address_masked, verified_at }) => (
				<span className="inline-flex flex-wrap gap-3 rows:justify-end">
					{verified_at === null && <CodeButton own={own} id={id} address={address_masked} />}
					<ConfirmButton
						texts={words.remove}
						isDestructive
						name={address_masked}
						action={() =>
							platform.client.call(`${own.address}/${path}/${id}`, {
								...wholeOf(platform, own.slug),
								method: "DELETE",
							})
						}
						invalidates={preferencesKey(own.slug, path)}
						messages={words.errors}
					/>
				</span>
			),
		},
	];
	return (
		<DataTable
			caption={words.addresses}
			columns={columns}
			rows={contacts}
			keyOf={({ id }) => id}
			empty={words.noAddresses}
		/>
	);
}

function State({ contact: { verified_at, invalid_at } }: { contact: Contact }) {
	const { states } = usePreferenceTexts();
	if (invalid_at !== null) return <Badge kind="error">{states.invalid}</Badge>;
	if (verified_at === null) return <Badge kind="warning">{states.unverified}</Badge>;
	return <Badge kind="done">{states.verified}</Badge>;
}

function CodeButton({ own, id, address }: { own: Own; id: string; address: string }) {
	const platform = usePlatform();
	const words = usePreferenceTexts();
	return (
		<FormButton
			label={words.enterCode}
			title={words.enterCodeOf(address)}
			lead={words.codeLead}
			confirm={words.verify}
			busyText={words.verifying}
			messages={words.errors}
			invalidates={preferencesKey(own.slug, path)}
			done={words.isVerified}
			check={(entered) => errorsOf([[!/^\d{6}$/.test(textOf(entered, "code")), "code", words.sixDigits]])}
			action={(entered) =>
				platform.client.call(`${own.address}/${path}/${id}/verify`, {
					...wholeOf(platform, own.slug),
					method: "POST",
					body: { code: textOf(entered, "code") },
				})
			}
		>
			{(field) => (
				<TextField
					{...field("code")}
					inputMode="numeric"
					autoComplete="one-time-code"
					maxLength={6}
					label={words.code}
				/>
			)}
		</FormButton>
	);
}
