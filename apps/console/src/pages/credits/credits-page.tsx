import { buttonLook, type Column, Notice, RowName, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { FormButton } from "../../dialogs/form-button.tsx";
import { textOf } from "../../forms/form-data.ts";
import { errorsOf } from "../../forms/rules.ts";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { notificationsAddress } from "../messages/state/message.queries.ts";
import { NotificationsGate } from "../messages/state/notifications-gate.tsx";
import {
	type Credit,
	type CreditEntry,
	changeThreshold,
	creditKey,
	creditQuery,
	type Whatsapp,
	whatsappQuery,
	whole,
} from "./credit.queries.ts";
import { CreditRows } from "./credit-rows.tsx";
import { Packs } from "./packs.tsx";
import { useCreditTexts } from "./texts.ts";

const route = getRouteApi("/$slug/credits");
const thresholdMax = 10_000_000;

/** `/{slug}/credits`: SMS credit with its changes and packs, and the state of WhatsApp. */
export function CreditsPage() {
	const { slug } = route.useParams();
	const words = useCreditTexts();
	return (
		<NotificationsGate slug={slug} permission="notifications.credits.view">
			{(scope, may) => (
				<Page title={words.title} lead={words.lead}>
					<Balance scope={scope} mayChange={may("notifications.credits.change")} />
					<WhatsappState scope={scope} />
					<Packs scope={scope} mayBuy={may("notifications.credits.add")} />
					<Entries scope={scope} />
				</Page>
			)}
		</NotificationsGate>
	);
}

function Balance({ scope, mayChange }: { scope: ServiceScope; mayChange: boolean }) {
	const words = useCreditTexts();
	const query = useQuery(creditQuery(usePlatform(), scope));
	return (
		<Loaded query={query} isMain>
			{(credit) => (
				<Section
					title={words.balance}
					actions={mayChange && <ThresholdButton scope={scope} credit={credit} />}
				>
					<BalanceRows credit={credit} />
				</Section>
			)}
		</Loaded>
	);
}

function BalanceRows({ credit }: { credit: Credit }) {
	const words = useCreditTexts();
	return (
		<>
			{credit.is_low && (
				<div className="mb-4">
					<Notice kind="warning">{words.isLow}</Notice>
				</div>
			)}
			<CreditRows credit={credit} />
		</>
	);
}

function ThresholdButton({ scope, credit }: { scope: ServiceScope; credit: Credit }) {
	const platform = usePlatform();
	const words = useCreditTexts();
	return (
		<FormButton
			label={words.change}
			lead={words.changeLead}
			confirm={words.save}
			busyText={words.saving}
			done={words.saved}
			invalidates={creditKey(scope)}
			check={(entered) => {
				const text = textOf(entered, "threshold");
				const isWhole = /^\d{1,8}$/.test(text) && Number(text) <= thresholdMax;
				return errorsOf([[!isWhole, "threshold", words.wrongThreshold]]);
			}}
			action={(entered) => changeThreshold(platform, scope, Number(textOf(entered, "threshold")))}
		>
			{(field) => (
				<TextField
					{...field("threshold")}
					inputMode="numeric"
					autoComplete="off"
					label={words.threshold}
					defaultValue={String(credit.threshold)}
				/>
			)}
		</FormButton>
	);
}

function WhatsappState({ scope }: { scope: ServiceScope }) {
	const words = useCreditTexts();
	const query = useQuery(whatsappQuery(usePlatform(), scope));
	return (
		<Section title={words.whatsapp}>
			<Loaded query={query}>{(state) => <WhatsappText slug={scope.slug} state={state} />}</Loaded>
		</Section>
	);
}

function WhatsappText({ slug, state }: { slug: string; state: Whatsapp }) {
	const words = useCreditTexts();
	return (
		<>
			<p>
				<Badge kind={state.active ? "done" : "warning"}>{state.active ? words.active : words.inactive}</Badge>{" "}
				{wordFor(words.because, state.because)}
			</p>
			{!state.active && (
				<p className="mt-3">
					<Link to="/$slug/subscribe" params={{ slug }} className={buttonLook("plain")}>
						{words.addOn}
					</Link>
				</p>
			)}
			{state.active && state.templates_missing.length > 0 && (
				<p className="mt-3 wrap-anywhere">
					{words.missing} {state.templates_missing.join(", ")}
				</p>
			)}
		</>
	);
}

function Entries({ scope }: { scope: ServiceScope }) {
	const words = useCreditTexts();
	const format = useFormat();
	const list = usePagedList<CreditEntry>({
		key: [...creditKey(scope), "entries"],
		address: notificationsAddress(usePlatform(), scope, "credits/entries"),
		...whole,
		name: "entries",
	});
	const columns: Column<CreditEntry>[] = [
		{
			head: words.kind,
			cell: ({ kind, reason }) => <RowName detail={reason}>{wordFor(words.kinds, kind)}</RowName>,
		},
		{ head: words.segments, isNumber: true, cell: ({ segments }) => format.number(segments) },
		{ head: words.balance, isNumber: true, cell: ({ balance }) => format.number(balance) },
		{ head: words.at, cell: ({ at }) => format.time(at) },
	];
	return (
		<Section title={words.entries}>
			<PagedList
				list={list}
				caption={words.entries}
				columns={columns}
				keyOf={({ id }) => id}
				empty={words.noEntries}
			/>
		</Section>
	);
}
