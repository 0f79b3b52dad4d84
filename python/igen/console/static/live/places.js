// Places in the files of a run: "0003:184467" is job 3, behind its byte 184467.
export function isBehind(place, other) {
  const [job, offset] = place.split(":").map(Number);
  const [otherJob, otherOffset] = other.split(":").map(Number);
  return job > otherJob || (job === otherJob && offset > otherOffset);
}
