import { type Column, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Badge } from "../../layout/badge.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useAccessTexts } from "../access/texts.ts";
import { allOutletsQuery } from "../outlets/outlets.queries.ts";
import { type ApiKey, apiKeysKey, revokeApiKey } from "./api-key.queries.ts";
import { nameKeyPermission } from "./name-key-permission.ts";
import { useApiKeyTexts } from "./texts.ts";

type KeyColumns = { scope: ServiceScope; mayManage: boolean; onRevoked: (key: ApiKey) => unknown };

/** The columns of a service's API keys, with a button to revoke one if the user may. */
export function useKeyColumns({ scope, mayManage, onRevoked }: KeyColumns): Column<ApiKey>[] {
	const words = useApiKeyTexts();
	const outlets = useQuery(allOutletsQuery(usePlatform(), scope.slug)).data;
	const format = useFormat();
	const placesOf = (ids: string[] | null) =>
		ids === null
			? words.everyOutlet
			: ids.map((id) => outlets?.find((outlet) => outlet.id === id)?.name ?? "–").join(", ");
	const creatorOf = (name: string | null) =>
		name === null ? words.unbound : words.createdBy(name || words.erasedPerson);
	const columns: Column<ApiKey>[] = [
		{ head: words.key, cell: ({ id, name }) => <RowName detail={id}>{name}</RowName> },
		{
			head: words.permissions,
			isLong: true,
			cell: ({ permissions, outlet_ids }) => (
				<RowName detail={placesOf(outlet_ids)}>
					<Permissions codes={permissions} />
				</RowName>
			),
		},
		{
			head: words.created,
			cell: ({ created_at, created_by_name }) => (
				<RowName detail={creatorOf(created_by_name)}>{format.day(created_at)}</RowName>
			),
		},
		{
			head: words.lastUse,
			cell: ({ last_used_at }) => (last_used_at === null ? words.never : format.time(last_used_at)),
		},
		{ head: words.expires, cell: (key) => <End of={key} /> },
	];
	if (!mayManage) return columns;
	const cell = (key: ApiKey) => !isOver(key) && <Revoke scope={scope} apiKey={key} onDone={onRevoked} />;
	return [...columns, { head: words.actions, isHeadHidden: true, isNumber: true, cell }];
}

/** Longer lists of permissions are collapsed. */
const shownMax = 3;

function Permissions({ codes }: { codes: readonly string[] }) {
	const words = useApiKeyTexts();
	const access = useAccessTexts();
	if (codes.length === 0) return words.noPermissions;
	const list = (
		<ul>
			{codes.map((code) => (
				<li key={code}>{nameKeyPermission(code, { words, access })}</li>
			))}
		</ul>
	);
	if (codes.length <= shownMax) return list;
	return (
		<details>
			<summary className="cursor-pointer">{words.permissionCount(codes.length)}</summary>
			{list}
		</details>
	);
}

function End({ of: { revoked_at, expires_at } }: { of: ApiKey }) {
	const words = useApiKeyTexts();
	const format = useFormat();
	if (revoked_at !== null)
		return (
			<RowName detail={format.day(revoked_at)}>
				<Badge kind="error">{words.revokedMark}</Badge>
			</RowName>
		);
	if (expires_at === null) return words.noExpiry;
	if (!isPast(expires_at)) return format.time(expires_at);
	return (
		<RowName detail={format.day(expires_at)}>
			<Badge kind="warning">{words.expired}</Badge>
		</RowName>
	);
}

const isPast = (at: string) => Date.parse(at) <= Date.now();
const isOver = ({ revoked_at, expires_at }: ApiKey) =>
	revoked_at !== null || (expires_at !== null && isPast(expires_at));

type Revoke = { scope: ServiceScope; apiKey: ApiKey; onDone: (key: ApiKey) => unknown };

function Revoke({ scope, apiKey, onDone }: Revoke) {
	const platform = usePlatform();
	const words = useApiKeyTexts();
	const { id, name } = apiKey;
	return (
		<ConfirmButton
			kind="quiet"
			texts={words.revoke}
			isDestructive
			name={name}
			asksByName
			action={() => revokeApiKey(platform, scope, id)}
			onDone={() => onDone(apiKey)}
			invalidates={apiKeysKey(scope)}
			messages={words.errors}
		/>
	);
}
