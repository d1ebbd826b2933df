import { useQuery } from "@tanstack/react-query";
import { CheckList } from "../../fields/check-list.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../session/platform.ts";
import { permissionsQuery, type ServicePlace } from "./access.queries.ts";
import { namePermission } from "./access-words.ts";
import { useAccessTexts } from "./texts.ts";

type GrantList = {
	place: ServicePlace;
	granted: readonly string[];
	onChange: (granted: readonly string[]) => void;
	isFaulty: boolean;
};

/** What a role of a service grants, of everything the service declares. */
export function GrantList({ place, granted, onChange, isFaulty }: GrantList) {
	const words = useAccessTexts();
	const declared = useQuery(permissionsQuery(usePlatform(), place));
	return (
		<Loaded query={declared}>
			{(all) => (
				<CheckList
					name="permissions"
					legend={words.permissions}
					choices={all.map(({ code, is_reserved }) => ({
						value: code,
						label: namePermission(code, words),
						detail: is_reserved ? words.reserved : code,
					}))}
					chosen={granted}
					onChange={onChange}
					isFaulty={isFaulty}
				/>
			)}
		</Loaded>
	);
}
