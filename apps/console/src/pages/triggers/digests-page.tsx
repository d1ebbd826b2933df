import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { BackLink } from "../../layout/back-link.tsx";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { useTriggerTexts } from "./state/texts.ts";
import { type DigestWindow, digestsAddress, sendDigest, triggersKey } from "./state/trigger.queries.ts";
import { TriggerGate } from "./trigger-gate.tsx";

const route = getRouteApi("/$slug/triggers/digests");

/** `/{slug}/triggers/digests`: the digests that still collect messages. */
export function DigestsPage() {
	const { slug } = route.useParams();
	return <TriggerGate slug={slug}>{(scope, may) => <Digests scope={scope} {...may} />}</TriggerGate>;
}

type Digests = { scope: ServiceScope; mayChange: boolean };

const isDue = ({ due_at }: DigestWindow) => new Date(due_at).getTime() <= Date.now();

function Digests({ scope, mayChange }: Digests) {
	const words = useTriggerTexts();
	const list = usePagedList<DigestWindow>({
		key: [...triggersKey(scope), "digests"],
		address: digestsAddress(usePlatform(), scope),
		outlet: scope.outlet,
		isChanging: (digests) => digests.some(isDue),
	});
	return (
		<>
			<BackLink to="/$slug/triggers" params={{ slug: scope.slug }}>
				{words.title}
			</BackLink>
			<Page title={words.digestsTitle} lead={words.digestsLead}>
				<PagedList
					isMain
					list={list}
					caption={words.digestsTitle}
					columns={useColumns({ scope, mayChange })}
					keyOf={({ id }) => id}
					empty={words.noDigests}
				/>
			</Page>
		</>
	);
}

function useColumns({ scope, mayChange }: Digests): Column<DigestWindow>[] {
	const words = useTriggerTexts();
	const { channelNames } = useTemplateTexts();
	const format = useFormat();
	const { slug } = scope;
	return [
		{ head: words.person, cell: ({ user_name, key }) => <RowName detail={key || null}>{user_name}</RowName> },
		{
			head: words.rule,
			isLong: true,
			cell: ({ trigger_id, trigger_name }) =>
				trigger_id === null ? (
					words.removedRule
				) : (
					<Link
						to="/$slug/triggers/$id"
						params={{ slug, id: trigger_id }}
						className={`${buttonLook("quiet")} text-start`}
					>
						{trigger_name}
					</Link>
				),
		},
		{ head: words.channel, cell: ({ channel }) => channelNames[channel] },
		{
			head: words.collected,
			cell: ({ items, items_max }) => words.countOf(format.number(items), format.number(items_max)),
		},
		{
			head: words.due,
			cell: (digest) => (isDue(digest) ? <Badge>{words.beingSent}</Badge> : format.time(digest.due_at)),
		},
		...(mayChange
			? [
					{
						head: words.actions,
						isHeadHidden: true,
						cell: (digest: DigestWindow) => !isDue(digest) && <SendNow scope={scope} digest={digest} />,
					},
				]
			: []),
	];
}

function SendNow({ scope, digest: { id, user_name } }: { scope: ServiceScope; digest: DigestWindow }) {
	const platform = usePlatform();
	const words = useTriggerTexts();
	return (
		<ConfirmButton
			texts={words.sendNow}
			name={user_name}
			action={() => sendDigest(platform, { scope, id })}
			invalidates={triggersKey(scope)}
			messages={words.errors}
		/>
	);
}
