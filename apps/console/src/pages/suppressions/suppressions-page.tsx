import { type Column, Notice, RowName, SelectField, TextField } from "@lango/interface";
import { getRouteApi } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { FormButton } from "../../dialogs/form-button.tsx";
import { errorsOf } from "../../forms/rules.ts";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { useListFilters } from "../../lists/list-address.ts";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { useIsPlatform } from "../access/use-is-platform.ts";
import { notificationsAddress } from "../messages/state/message.queries.ts";
import { NotificationsGate } from "../messages/state/notifications-gate.tsx";
import { type Channel, channels, ownCategories } from "../templates/draft/templates.queries.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { useSuppressionTexts } from "./texts.ts";

const filterNames = ["channel", "address"];
const route = getRouteApi("/$slug/suppressions");

type Suppression = {
	id: string;
	channel: Channel;
	address_masked: string;
	category: string | null;
	reason: string;
	is_platform: boolean;
	expires_at: string | null;
	created_at: string;
};

/** An inbox has preferences instead. */
const addressChannels = channels.filter((one) => one !== "in_app");
/** Suppressions are the tenant's, not an outlet's. */
const whole = { outlet: "none" } as const;
const suppressionsKey = ({ slug }: ServiceScope) => ["suppressions", slug];

/** `/{slug}/suppressions`: addresses that get no messages. */
export function SuppressionsPage() {
	const { slug } = route.useParams();
	return (
		<NotificationsGate slug={slug} permission="notifications.suppressions.view">
			{(scope, may) => <Suppressions scope={scope} mayChange={may("notifications.suppressions.change")} />}
		</NotificationsGate>
	);
}

type Props = { scope: ServiceScope; mayChange: boolean };

function Suppressions({ scope, mayChange }: Props) {
	const { channel, address } = useListFilters("", filterNames).filter;
	const words = useSuppressionTexts();
	const { channelNames } = useTemplateTexts();
	// The platform owner's list contains those that count for every organisation.
	const lead = useIsPlatform(scope.slug) ? words.lead : `${words.lead} ${words.unlisted}`;
	const isUnclear = address !== undefined && channel === undefined;
	const list = usePagedList<Suppression>({
		key: suppressionsKey(scope),
		address: notificationsAddress(usePlatform(), scope, "suppressions"),
		fields: [
			choiceOf("channel", words.channel, [addressChannels, channelNames]),
			{ kind: "text", name: "address", label: words.find, invalid: words.errors.address_invalid },
		],
		query: isUnclear ? { address: undefined } : {},
		...whole,
	});
	return (
		<Page title={words.title} lead={lead} actions={mayChange && <AddButton scope={scope} />}>
			{isUnclear && <Notice kind="warning">{words.needsChannel}</Notice>}
			<PagedList
				list={list}
				isMain
				caption={words.title}
				columns={useColumns(scope, mayChange)}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

function AddButton({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const words = useSuppressionTexts();
	const { channelNames, categories } = useTemplateTexts();
	return (
		<FormButton
			label={words.add}
			confirm={words.add}
			busyText={words.adding}
			messages={words.errors}
			invalidates={suppressionsKey(scope)}
			done={words.added}
			check={(entered) => errorsOf([[textOf(entered, "address") === "", "address", words.missingAddress]])}
			action={(entered) => {
				const category = textOf(entered, "category");
				return platform.client.call(notificationsAddress(platform, scope, "suppressions"), {
					...whole,
					method: "POST",
					body: {
						channel: textOf(entered, "channel"),
						address: textOf(entered, "address"),
						...(category !== "" && { category }),
					},
				});
			}}
		>
			{(field) => (
				<>
					<SelectField
						{...field("channel")}
						label={words.channel}
						options={addressChannels.map((value) => ({ value, label: channelNames[value] }))}
					/>
					<TextField
						{...field("address")}
						autoComplete="off"
						maxLength={4_096}
						label={words.address}
						hint={words.addressHint}
					/>
					<SelectField
						{...field("category")}
						label={words.category}
						options={[
							{ value: "", label: words.allCategories },
							...ownCategories.map((value) => ({ value, label: wordFor(categories, value) })),
						]}
					/>
				</>
			)}
		</FormButton>
	);
}

const textOf = (entered: FormData, name: string) => String(entered.get(name) ?? "").trim();

function useColumns(scope: ServiceScope, mayChange: boolean): Column<Suppression>[] {
	const platform = usePlatform();
	const words = useSuppressionTexts();
	const { channelNames, categories } = useTemplateTexts();
	const format = useFormat();
	const columns: Column<Suppression>[] = [
		{
			head: words.address,
			cell: ({ address_masked, channel }) => (
				<RowName detail={channelNames[channel]}>{address_masked}</RowName>
			),
		},
		{
			head: words.reason,
			isLong: true,
			cell: ({ reason, is_platform }) => (
				<>
					{wordFor(words.reasons, reason)} {is_platform && <Badge>{words.forAll}</Badge>}
				</>
			),
		},
		{
			head: words.category,
			cell: ({ category }) => (category === null ? words.allCategories : wordFor(categories, category)),
		},
		{
			head: words.since,
			cell: ({ created_at, expires_at }) =>
				[format.day(created_at), expires_at && words.until(format.day(expires_at))].filter(Boolean).join(" "),
		},
	];
	if (!mayChange) return columns;
	const actions = ({ id, address_masked }: Suppression) => (
		<ConfirmButton
			texts={words.lift}
			name={address_masked}
			action={() =>
				platform.client.call(notificationsAddress(platform, scope, `suppressions/${id}`), {
					...whole,
					method: "DELETE",
				})
			}
			invalidates={suppressionsKey(scope)}
			messages={words.errors}
		/>
	);
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell: actions }];
}
