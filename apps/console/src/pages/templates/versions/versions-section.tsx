import type { Column } from "@lango/interface";
import { ConfirmButton } from "../../../dialogs/confirm-button.tsx";
import { Badge } from "../../../layout/badge.tsx";
import { Section } from "../../../layout/section.tsx";
import { PagedList, usePagedList } from "../../../lists/paged-list.tsx";
import { usePlatform } from "../../../platform.ts";
import { useFormat } from "../../../tenant/use-format.ts";
import {
	asked,
	type Origin,
	type Place,
	rollBack,
	type Template,
	templateKey,
	type VersionSummary,
	versionsAddress,
} from "../draft/templates.queries.ts";
import { useTemplateTexts } from "../draft/texts.ts";

type VersionsSection = {
	place: Place;
	origin: Origin;
	/** Called with the template after a rollback; undefined: the user may not change it. */
	onRolledBack: ((template: Template) => void) | undefined;
};

/** The published versions of a template, the newest first. */
export function VersionsSection({ place, origin, onRolledBack }: VersionsSection) {
	const words = useTemplateTexts();
	const format = useFormat();
	const key = [...templateKey(place.scope, place.path), "versions"];
	const list = usePagedList<VersionSummary>({
		key,
		address: versionsAddress(usePlatform(), place),
		...asked(place.scope),
		name: "versions",
		pageSize: 10,
	});
	// The platform's versions are not the tenant's to roll back.
	const mayRollBack = onRolledBack !== undefined && (place.scope.isPlatform || origin !== "platform");
	const columns: Column<VersionSummary>[] = [
		{
			head: words.version,
			cell: ({ version, is_live }) => (
				<span className="flex flex-wrap gap-2">
					{words.versionNumber(version)}
					{is_live && <Badge kind="done">{words.inForce}</Badge>}
				</span>
			),
		},
		{ head: words.published, cell: ({ published_at }) => format.time(published_at) },
		...(mayRollBack ? [{ ...actions(), isHeadHidden: true, isNumber: true }] : []),
	];
	function actions(): Column<VersionSummary> {
		return {
			head: words.actions,
			cell: ({ version, is_live, is_platform }) =>
				!is_live &&
				is_platform === place.scope.isPlatform && (
					<RollBack place={place} version={version} invalidates={key} onDone={onRolledBack} />
				),
		};
	}
	return (
		<Section title={words.versions} lead={words.versionsLead}>
			<PagedList
				list={list}
				caption={words.versions}
				columns={columns}
				keyOf={({ version }) => `${version}`}
				empty={words.noVersions}
			/>
		</Section>
	);
}

type RollBack = {
	place: Place;
	version: number;
	invalidates: readonly unknown[];
	onDone: VersionsSection["onRolledBack"];
};

function RollBack({ place, version, invalidates, onDone }: RollBack) {
	const platform = usePlatform();
	const words = useTemplateTexts();
	return (
		<ConfirmButton
			kind="quiet"
			texts={words.rollBack}
			name={`${version}`}
			action={async () => onDone?.(await rollBack(platform, place, version))}
			invalidates={invalidates}
			messages={words.errors}
		/>
	);
}
