package uiread_test
import ("testing";"fmt";"maps";"slices";"os";"ios-agent/internal/ui";"ios-agent/internal/ui/uiread")
func TestShow(t *testing.T){
 if os.Getenv("SHOW")=="" {t.Skip()}
 all:=samples(t)
 for _,n:=range slices.Sorted(maps.Keys(all)){
  tr,err:=uiread.Read(all[n]); fmt.Println("=====",n,err)
  if err!=nil{continue}
  fmt.Println(tr.Source,tr.Nodes(),tr.Flat,tr.Warnings)
  fmt.Println(tr.Screen().Outline("",&ui.Refs{}))
 }
}
