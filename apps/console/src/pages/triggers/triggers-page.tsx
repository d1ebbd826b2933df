import { buttonLook, type Column, RowName } from "@lango/interface";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { SearchedList, useWholeList } from "../../lists/searched-list.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTenant } from "../../tenant/use-tenant.ts";
import { useTemplateTexts } from "../templates/draft/texts.ts";
import { nameOfEvent, nameOfRule } from "./state/describe-trigger.ts";
import { useTriggerTexts } from "./state/texts.ts";
import { type RunStatus, type Trigger, triggersAddress, triggersKey } from "./state/trigger.queries.ts";
import { TriggerGate } from "./trigger-gate.tsx";

const route = getRouteApi("/$slug/triggers");

/** `/{slug}/triggers`: the rules by which events become messages. */
export function TriggersPage() {
	const { slug } = route.useParams();
	return <TriggerGate slug={slug}>{(scope, may) => <Triggers scope={scope} {...may} />}</TriggerGate>;
}

function Triggers({ scope, mayChange }: { scope: ServiceScope; mayChange: boolean }) {
	const words = useTriggerTexts();
	const tenant = useTenant();
	const { slug } = scope;
	const query = useWholeList<Trigger>({
		key: [...triggersKey(scope), "list"],
		address: triggersAddress(usePlatform(), scope),
		outlet: scope.outlet,
	});
	const links = (
		<span className="flex flex-wrap gap-3">
			<Link to="/$slug/triggers/digests" params={{ slug }} className={buttonLook("plain")}>
				{words.digestsTitle}
			</Link>
			{mayChange && (
				<Link to="/$slug/triggers/new" params={{ slug }} className={buttonLook("action")}>
					{words.add}
				</Link>
			)}
		</span>
	);
	return (
		<Page title={words.title} lead={words.lead(tenant?.name ?? slug)} actions={links}>
			<SearchedList
				isMain
				query={query}
				search={{
					label: words.search,
					textOf: (one) =>
						`${nameOfRule(one, words)} ${nameOfEvent(one.event, words)} ${one.event} ${one.template}`,
				}}
				caption={words.title}
				columns={useColumns(slug)}
				keyOf={({ id }) => id}
				empty={words.none}
			/>
		</Page>
	);
}

function useColumns(slug: string): Column<Trigger>[] {
	const words = useTriggerTexts();
	const { channelNames } = useTemplateTexts();
	return [
		{
			head: words.rule,
			sort: ["rule", (trigger) => nameOfRule(trigger, words)],
			cell: (trigger) => (
				<RowName detail={trigger.is_platform ? words.ofPlatform : nameOfEvent(trigger.event, words)}>
					<Link
						to="/$slug/triggers/$id"
						params={{ slug, id: trigger.id }}
						className={`${buttonLook("quiet")} text-start`}
					>
						{nameOfRule(trigger, words)}
					</Link>
				</RowName>
			),
		},
		{
			head: words.template,
			isLong: true,
			sort: ["template", ({ template }) => template],
			cell: ({ template }) => <TemplatePath path={template} />,
		},
		{
			head: words.channels,
			isLong: true,
			cell: ({ channels }) => channels.map((channel) => channelNames[channel]).join(", "),
		},
		{ head: words.state, cell: ({ enabled }) => <TriggerState isOn={enabled} /> },
		{ head: words.lastRun, cell: ({ last_run }) => <LastRun run={last_run} /> },
	];
}

/** The path of a template, which breaks after its group. */
function TemplatePath({ path }: { path: string }) {
	const [group, name] = path.split("/");
	return (
		<>
			{group}/<wbr />
			{name}
		</>
	);
}

/** Whether a rule is switched on. */
export function TriggerState({ isOn }: { isOn: boolean }) {
	const words = useTriggerTexts();
	return isOn ? <Badge kind="done">{words.on}</Badge> : <Badge>{words.off}</Badge>;
}

const looks = {
	waiting: "plain",
	sent: "done",
	skipped: "warning",
	failed: "error",
} as const satisfies Record<RunStatus, string>;
const outcomes = { waiting: "waiting", sent: "sent", skipped: "nothing", failed: "failed" } as const;

function LastRun({ run }: { run: Trigger["last_run"] }) {
	const words = useTriggerTexts();
	const format = useFormat();
	if (run === null) return words.noRun;
	return (
		<span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
			<Badge kind={looks[run.status]}>{words.outcomes[outcomes[run.status]]}</Badge>
			<span className="text-quiet">{format.time(run.created_at)}</span>
		</span>
	);
}
